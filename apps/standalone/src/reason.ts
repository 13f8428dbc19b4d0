import { statfsSync } from 'node:fs';

const DISK_FULL = /\bENOSPC\b|no space left on device|\bEDQUOT\b|disk quota exceeded/i;
/** With less free space than this, in bytes, a program may not be able to log why it ended. */
const MIN_FREE_BYTES = 65_536;

/**
 * Why a start failed, as one sentence on one line. A full disk is always reported as such: the failed parts only
 * have the last lines of their logs, and may have had no space to write any.
 * @param told the error or the sentence of the failed part
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
    return false; // a directory that does not exist is not full
  }
}
