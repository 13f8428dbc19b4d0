import { statfsSync } from 'node:fs';

const NO_ROOM = /\bENOSPC\b|no space left on device|\bEDQUOT\b|disk quota exceeded/i;
/** Below this a log has no room for what its program would say last, in bytes. */
const ROOM_FOR_LAST_WORDS = 65_536;

/**
 * Why a start ends, as one sentence in one line. A full disk is said as that, whichever part met it first: what the parts say
 * of it are last lines of their own logs, and it may be that none had the room to say anything.
 * @param told the error, or the sentence, of the part that failed
 */
export function reasonOf(told: unknown, dataDir: string): string {
  const said = saidBy(told);
  if (NO_ROOM.test(said) || isFull(dataDir)) {
    return `the disk of ${dataDir} is full; free some space, or set DATA_DIR to a directory on another disk`;
  }
  const lines = said.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '').join(' | ');
}

function saidBy(told: unknown): string {
  if (!(told instanceof Error)) return String(told);
  return told.cause === undefined || NO_ROOM.test(told.message) || !NO_ROOM.test(saidBy(told.cause))
    ? told.message
    : saidBy(told.cause);
}

function isFull(dataDir: string): boolean {
  try {
    const { bavail, bsize } = statfsSync(dataDir);
    return bavail * bsize < ROOM_FOR_LAST_WORDS;
  } catch {
    return false; // what is not there is not full
  }
}
