// npm run build: compiles every source of apps, libs and packages to dist, one file each. Types are checked by npm run
// typecheck.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { transformFile } from '@swc/core';
import options from './swc-options.cjs';

const SOURCES = ['apps', 'libs', 'packages/guard', 'packages/client'];
const isSource = (path) =>
  /(?:^|\/)src\/.*\.(?:ts|json)$/.test(path) &&
  !/\.(?:spec|fixture|d)\.ts$/.test(path) &&
  !path.includes('node_modules/');

execFileSync('npm', ['run', '--silent', 'client-types'], { stdio: ['ignore', 2, 2] });
rmSync('dist/apps', { recursive: true, force: true });
rmSync('dist/libs', { recursive: true, force: true });

const paths = SOURCES.flatMap((root) =>
  readdirSync(root, { recursive: true })
    .map((path) => join(root, path))
    .filter(isSource),
);
await Promise.all(
  paths.map(async (path) => {
    if (path.endsWith('.json')) return copy(path, join('dist', path));
    const { code, map } = await transformFile(path, {
      ...options,
      // The packages are ES modules, as stated in their package.json.
      ...(path.startsWith('packages/') && { module: { type: 'es6' } }),
      sourceMaps: true,
      jsc: { ...options.jsc, baseUrl: process.cwd(), paths: { '@app/*': ['./libs/*/src'] } },
    });
    const target = join('dist', path.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, `${code}//# sourceMappingURL=${target.slice(target.lastIndexOf('/') + 1)}.map\n`);
    writeFileSync(`${target}.map`, map);
  }),
);
await import('./page-files.mjs');
for (const name of ['guard', 'client']) copy(`packages/${name}/package.json`, `dist/packages/${name}/package.json`);

function copy(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}
