import { rmSync } from 'node:fs';
import type { SpawnedProcess } from './embedded/embedded-process';
import type { DeathWatchMessage } from './parent-death-watch';
import { stopProcess } from './embedded/process-mark';

/** Milliseconds; enough for a worker to return its jobs and for PostgreSQL to write its checkpoint. */
const GRACE_MS = 5_000;

/**
 * Runs next to `npm start` in its own session. Programs such as PostgreSQL do not notice when their parent is
 * killed. This process does, because its IPC channel closes, and then stops them in the reverse order of their
 * start.
 * Arguments: files to remove when that happens.
 */
function guard(filesToRemove: readonly string[]): void {
  const wards = new Map<number, SpawnedProcess>();
  process.on('message', (message: DeathWatchMessage) => {
    if (message.kind === 'watch') wards.set(message.ward.mark.pid, message.ward);
    else wards.delete(message.pid);
  });
  process.on('disconnect', () => {
    for (const file of filesToRemove) rmSync(file, { force: true });
    void endAll([...wards.values()].reverse());
  });
}

async function endAll(wards: readonly SpawnedProcess[]): Promise<void> {
  for (const { mark, stopSignal } of wards) await stopProcess(mark, stopSignal, GRACE_MS);
  process.exit(0);
}

guard(process.argv.slice(2));
