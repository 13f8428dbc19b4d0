import { rmSync } from 'node:fs';
import type { SpawnedProcess } from './embedded/embedded-process';
import type { DeathWatchMessage } from './parent-death-watch';
import { stopProcess } from './embedded/process-mark';

/** Enough for a worker to put its jobs back and for PostgreSQL to write its checkpoint. */
const GRACE_MS = 5_000;

/**
 * Lives beside `npm start` in a session of its own. Programs such as PostgreSQL do not notice when their parent is
 * killed; this process does, by its IPC channel, and then ends them in the reverse order of their start.
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
