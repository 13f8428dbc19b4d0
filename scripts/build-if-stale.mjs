// Builds before `npm start` and other commands, unless dist/ is newer than every source, so that a second start is
// quick. It writes to standard error, because the standard output of a command is for programs.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const STAMP = 'dist/.built';
const INPUTS = [
  'apps',
  'libs',
  'packages/client/src',
  'packages/guard/src',
  'prisma',
  'package-lock.json',
  'scripts/build.mjs',
  'scripts/page-files.mjs',
  'scripts/swc-options.cjs',
  'test/oracle/openapi.json',
];

/** Generated from prisma/ by each install, including `npx hostprobe`. */
const GENERATED = join('libs', 'storage', 'src', 'generated');

function newest(path) {
  if (path === GENERATED) return 0;
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(0, ...readdirSync(path).map((name) => newest(join(path, name))));
}

const built = existsSync(STAMP) ? statSync(STAMP).mtimeMs : 0;
if (INPUTS.filter((path) => existsSync(path)).some((path) => newest(path) > built)) {
  try {
    accessSync(existsSync('dist') ? 'dist' : '.', constants.W_OK);
  } catch {
    process.stderr.write(
      `hostprobe: cannot build: this user cannot write to ${process.cwd()}; run npm run build as its owner\n`,
    );
    process.exit(1);
  }
  process.stderr.write('hostprobe  Building (first start only, 1–2 minutes on a small machine) …\n');
  const { status } = spawnSync('npm', ['run', '--silent', 'build'], { stdio: ['inherit', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(STAMP, new Date().toISOString());
}
