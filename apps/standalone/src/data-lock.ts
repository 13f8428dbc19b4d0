import { accessSync, constants, linkSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, privateDirectory, readIfThere, writePrivateFile } from './embedded/private-file';
import { isRunning, markOf, parseMark } from './embedded/process-mark';

/** Keeps two starts from sharing one DATA_DIR. */
export interface DataLock {
  readonly release: () => void;
}

/**
 * Says so when another start holds DATA_DIR, before anything is touched.
 * @throws Error with a sentence
 */
export function refuseHeldDataDir(dataDir: string): void {
  refuseHolder(dataDir, readIfThere(lockFile(dataDir)));
}

/**
 * Takes DATA_DIR for this process; the lock of a process that is gone is taken over.
 * @throws Error with a sentence when another start holds it, or it cannot be written to.
 */
export function lockDataDir(dataDir: string): DataLock {
  makeWritable(dataDir);
  const file = lockFile(dataDir);
  const mine = JSON.stringify(markOf(process.pid));
  while (!placed(file, mine)) {
    const found = readIfThere(file);
    refuseHolder(dataDir, found);
    if (found !== undefined) removeStaleLock(file, found);
  }
  return {
    release: () => {
      if (readIfThere(file) === mine) rmSync(file, { force: true });
    },
  };
}

function lockFile(dataDir: string): string {
  return join(dataDir, 'lock');
}

function refuseHolder(dataDir: string, found: string | undefined): void {
  const holder = parseMark(found ?? '');
  if (!holder || !isRunning(holder)) return;
  throw new Error(
    `${dataDir} is in use by another npm start (process ${holder.pid}); stop it, or set DATA_DIR to another directory`,
  );
}

function makeWritable(dataDir: string): void {
  try {
    privateDirectory(dataDir);
    accessSync(dataDir, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const why = `cannot write to ${dataDir} (${String(errorCode(cause))})`;
    throw new Error(`${why}; make it writable, or set DATA_DIR to a directory that is`, { cause });
  }
}

/** Puts the file there with its whole text; false when one is there already. */
function placed(file: string, text: string): boolean {
  const draft = `${file}.${process.pid}`;
  writePrivateFile(draft, text);
  try {
    linkSync(draft, file);
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Takes a stale lock away, unless another start replaced it meanwhile: that one goes back. */
function removeStaleLock(file: string, stale: string): void {
  const aside = `${file}.${process.pid}.stale`;
  try {
    renameSync(file, aside);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  const taken = readIfThere(aside);
  if (taken !== undefined && taken !== stale) placed(file, taken);
  rmSync(aside, { force: true });
}
