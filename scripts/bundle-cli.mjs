// Bundles the built command line into one file without dependencies, including the licenses of its contents.
import { build } from 'esbuild';
import { copyFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const MAIN = 'dist/apps/cli/src/main.js';

/** Shared by the service and the bundle. */
export const { version, license, engines } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** Commands that open a database are not bundled, because they would include the packages of the whole service. */
const withoutOperator = {
  name: 'without-operator',
  setup: ({ onLoad }) => {
    onLoad({ filter: /apps\/cli\/src\/operator\/operator-command\.js$/ }, () => ({
      contents: `throw new Error('this command is not in the packed command line; run it in a clone of hostprobe');`,
    }));
  },
};

/** Only services send traces. The SDK would make the file a quarter larger. */
const withoutTraces = {
  name: 'without-traces',
  setup: ({ onLoad }) => {
    onLoad({ filter: /libs\/platform\/src\/open-telemetry\.js$/ }, () => ({ contents: '' }));
  },
};

/** Writes `hostprobe.cjs`, `LICENSE` and `LICENSES.txt` to a folder. Build first. @throws if nothing was built */
export async function bundleCli(folder) {
  if (!existsSync(join(ROOT, MAIN))) throw new Error('there is nothing to pack; run npm run build');
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [MAIN],
    outfile: join(folder, 'hostprobe.cjs'),
    bundle: true,
    minify: true,
    platform: 'node',
    target: 'node20.19',
    format: 'cjs',
    banner: { js: '#!/usr/bin/env node' },
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
    plugins: [withoutOperator, withoutTraces],
  });
  copyFileSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  writeFileSync(join(folder, 'LICENSES.txt'), licencesOf(Object.keys(metafile.inputs)));
}

/** The license of each bundled package, with its own text if it has a file. */
function licencesOf(inputs) {
  const folders = new Set(inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []));
  const said = [...folders].sort().map((folder) => {
    const {
      name,
      version: release,
      license: terms,
    } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
    const file = readdirSync(join(ROOT, folder)).find((entry) => /^(?:licen[cs]e|copying)/i.test(entry));
    return `${name} ${release} (${terms})\n\n${file === undefined ? '' : readFileSync(join(ROOT, folder, file), 'utf8').trim()}\n`;
  });
  return said.join(`\n${'-'.repeat(80)}\n\n`);
}
