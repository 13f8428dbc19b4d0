import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const NAME = /^hostprobe-tests-(\d+)$/;

/**
 * Gives this run of the tests a folder of its own for temporary files, which ends with the run: tests leave certificates,
 * databases and browser profiles, some gigabytes a run, and would fill the disk. What a killed run left is removed, too.
 * What pages load is bundled anew.
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
