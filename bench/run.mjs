// `npm run bench -- <name>` runs bench/<name>.mjs on the build.
import { existsSync } from 'node:fs';

const name = process.argv[2] ?? '';
const file = new URL(`./${name}.mjs`, import.meta.url);
if (!/^[a-z-]+$/.test(name) || name === 'run' || !existsSync(file)) {
  process.stderr.write('usage: npm run bench -- <name of a file in bench/>\n');
  process.exit(2);
}
await import('../scripts/build-if-stale.mjs');
await import(file.href);
