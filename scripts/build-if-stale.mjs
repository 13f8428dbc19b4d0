// Builds before `npm start` unless dist/ is newer than every source, so that a second start is quick.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const STAMP = 'dist/.built';
const INPUTS = ['apps', 'libs', 'prisma', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json', 'nest-cli.json'];

/** Made from prisma/ by each install, that of `npx hostprobe` too. */
const GENERATED = join('libs', 'persistence', 'src', 'generated');

function newest(path) {
  if (path === GENERATED) return 0;
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))));
}

const built = existsSync(STAMP) ? statSync(STAMP).mtimeMs : 0;
if (INPUTS.filter((path) => existsSync(path)).some((path) => newest(path) > built)) {
  process.stdout.write('hostprobe  building (once per change, about ten seconds) ...\n');
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(STAMP, new Date().toISOString());
}
