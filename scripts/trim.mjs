// npm run trim: removes from node_modules of a production install what no process reads: source maps, and Prisma's
// files for databases other than Postgres.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const needless = (path) =>
  path.endsWith('.map') || (/@prisma\/client\/runtime\/.*\.wasm-base64\./.test(path) && !path.includes('postgresql'));

for (const entry of readdirSync('node_modules', { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  if (entry.isFile() && needless(path)) rmSync(path);
}
