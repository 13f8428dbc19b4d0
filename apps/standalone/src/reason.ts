import { statfsSync } from 'node:fs';

const DISK_FULL = /\bENOSPC\b|no space left on device|\bEDQUOT\b|disk quota exceeded/i;
/** Below this a log has no room for what its program would say last, in bytes. */
const MIN_FREE_BYTES = 65_536;

/**
 * Why a start ends, as one sentence in one line. A full disk is said as that, whichever part met it first: what the parts say
 * of it are last lines of their own logs, and it may be that none had the room to say anything.
 * @param told the error, or the sentence, of the part that failed
 */
export function reasonOf(told: unknown, dataDir: string): string {
  const said = messageOf(told);
  if (DISK_FULL.test(said) || isFull(dataDir)) {
    return `the disk of ${dataDir} is full; free some space, or set DATA_DIR to a directory on another disk`;
  }
  const lines = said.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '').join(' | ');
}

function messageOf(told: unknown): string {
  if (!(told instanceof Error)) return String(told);
  return told.cause === undefined || DISK_FULL.test(told.message) || !DISK_FULL.test(messageOf(told.cause))
    ? told.message
    : messageOf(told.cause);
}

function isFull(dataDir: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dataDir);
    return bavail * bsize < MIN_FREE_BYTES;
  } catch {
    return false; // what is not there is not full
  }
}
