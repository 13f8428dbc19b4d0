// Builds the package in the working directory twice: `npm run build --prefix packages/guard`. The sources are one, and what
// makes the second run CommonJS is the package.json that lies beside them, so that run has a copy with another one.
// The build takes the place of the former one when it is whole: a program that runs meanwhile always finds one.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const tsc = join(createRequire(import.meta.url).resolve('typescript/package.json'), '../bin/tsc');
const build = (...args) => execFileSync(process.execPath, [tsc, ...args], { stdio: ['ignore', 2, 2] });

const building = `dist-${process.pid}`;
const common = join(building, 'common');
build('-p', 'tsconfig.json', '--outDir', join(building, 'esm'));
mkdirSync(join(building, 'cjs'));
cpSync('src', common, { recursive: true });
writeFileSync(join(common, 'package.json'), '{"type":"commonjs"}\n');
writeFileSync(
  join(common, 'tsconfig.json'),
  '{"extends":"../../tsconfig.json","compilerOptions":{"rootDir":".","outDir":"../cjs"},"include":["."]}\n',
);
build('-p', join(common, 'tsconfig.json'));
writeFileSync(join(building, 'cjs/package.json'), '{"type":"commonjs"}\n');
rmSync(common, { recursive: true });

const former = `${building}-former`;
if (existsSync('dist')) renameSync('dist', former);
renameSync(building, 'dist');
rmSync(former, { recursive: true, force: true });
