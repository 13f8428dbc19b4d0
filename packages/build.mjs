// Builds the package in the working directory twice: `npm run build --prefix packages/guard`. The sources are one, and what
// makes the second run CommonJS is the package.json that lies beside them, so that run has a copy with another one.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const tsc = join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc');
const build = (...args) => execFileSync(process.execPath, [tsc, ...args], { stdio: ['ignore', 2, 2] });

rmSync('dist', { recursive: true, force: true });
build('-p', 'tsconfig.json');
mkdirSync('dist/cjs', { recursive: true });
cpSync('src', 'dist/common', { recursive: true });
writeFileSync('dist/common/package.json', '{"type":"commonjs"}\n');
writeFileSync(
  'dist/common/tsconfig.json',
  '{"extends":"../../tsconfig.json","compilerOptions":{"rootDir":".","outDir":"../cjs"},"include":["."]}\n',
);
build('-p', 'dist/common/tsconfig.json');
writeFileSync('dist/cjs/package.json', '{"type":"commonjs"}\n');
rmSync('dist/common', { recursive: true });
