#!/usr/bin/env node
// The command of the package (`npx hostprobe`, from a clone or a git dependency). Builds the clone first if it was never built.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const main = join(root, 'dist', 'apps', 'cli', 'src', 'main.js');
if (!existsSync(main)) {
  const { status } = spawnSync(process.execPath, ['scripts/build-if-stale.mjs'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) {
    process.stderr.write('hostprobe: it could not be built; run npm ci && npm run build\n');
    process.exit(70);
  }
}
createRequire(import.meta.url)(main);
