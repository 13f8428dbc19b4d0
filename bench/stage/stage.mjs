// What a row puts up and takes down again, also when it fails or is interrupted.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Runs `work` with a directory of its own; `stage.later` takes what is to be closed at its end, last first. */
export async function onStage(work) {
  const dir = mkdtempSync(join(tmpdir(), 'hostprobe-bench-'));
  const closers = [];
  const takeDown = async () => {
    for (const close of closers.reverse()) await Promise.resolve(close()).catch(() => undefined);
    rmSync(dir, { recursive: true, force: true });
  };
  let down;
  const clear = () => (down ??= takeDown());
  const interrupted = () => void clear().then(() => process.exit(130));
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
  try {
    return await work({ dir, later: (close) => closers.push(close) });
  } finally {
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted);
    await clear();
  }
}
