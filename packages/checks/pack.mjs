// Packs all published packages, checks them, and puts them into a directory for the release. usage: npm run packages
// [-- directory]; prints the paths. Exits with 1 if publint, attw or the compiler reports a problem.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../../scripts/bundle-cli.mjs';
import { packMcpb } from './mcpb.mjs';

const to = resolve(process.argv[2] ?? 'dist/release');
rmSync(to, { recursive: true, force: true });
mkdirSync(to, { recursive: true });
const run = (file, args, cwd = ROOT) =>
  execFileSync(file, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 2] })
    .trim()
    .split('\n')
    .at(-1);
const check = (name, ...args) =>
  execFileSync(fileURLToPath(new URL(`node_modules/.bin/${name}`, import.meta.url)), args, { stdio: ['ignore', 2, 2] });

const libraries = ['guard', 'client'].map((name) =>
  join(to, run('npm', ['pack', '--silent', '--pack-destination', to], join(ROOT, 'packages', name))),
);
const cli = run(process.execPath, ['scripts/pack-cli.mjs', to]);
for (const tarball of [...libraries, cli]) check('publint', '--strict', tarball);
for (const tarball of libraries) check('attw', tarball);
// The types of the OpenAPI document exist since the client was packed.
const strict = '--strict --noUncheckedIndexedAccess --exactOptionalPropertyTypes --skipLibCheck --noEmit'.split(' ');
const program = join(ROOT, 'packages/checks/generated-client.ts');
check('tsc', ...strict, '--module', 'nodenext', '--target', 'es2022', '--types', 'node', program);
for (const path of [...libraries, cli, ...(await packMcpb(to))]) console.log(path);
