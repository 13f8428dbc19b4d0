// Builds the package in the working directory twice, as ES module and as CommonJS: `npm run build --prefix
// packages/guard`. The package.json next to the sources decides the format, so the CommonJS run uses a copy with
// another package.json. The new build replaces the old one only when it is complete, so that running programs always
// find one.
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
