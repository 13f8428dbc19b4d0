import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const NAME = /^hostprobe-tests-(\d+)$/;

/**
 * Gives this test run its own folder for temporary files, which is deleted at the end: tests leave certificates,
 * databases and browser profiles, a few gigabytes per run, and would fill the disk. Leftovers of killed runs are
 * removed, too. The files that pages load are bundled again.
 */
export default function startRunFolder(): void {
  execFileSync(process.execPath, ['scripts/page-files.mjs']);
  const system = tmpdir();
  const mine = join(system, `hostprobe-tests-${String(process.pid)}`);
  if (system.includes('hostprobe-tests-')) return;
  for (const name of readdirSync(system)) {
    const pid = Number(NAME.exec(name)?.[1]);
    if (pid > 0 && !isRunning(pid)) rmSync(join(system, name), { recursive: true, force: true });
  }
  mkdirSync(mine, { recursive: true });
  process.env['TMPDIR'] = mine;
  process.once('exit', () => {
    rmSync(mine, { recursive: true, force: true });
  });
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
