import { accessSync, constants, linkSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode, privateDirectory, readIfThere, writePrivateFile } from './embedded/private-file';
import { isRunning, markOf, parseMark } from './embedded/process-mark';

/** Keeps two starts from sharing one DATA_DIR. */
export interface DataLock {
  readonly release: () => void;
}

/**
 * Throws if another `npm start` uses DATA_DIR. Nothing has been changed by then.
 * @throws Error with a sentence
 */
export function refuseHeldDataDir(dataDir: string): void {
  refuseHolder(dataDir, readIfThere(lockFile(dataDir)));
}

/**
 * Locks DATA_DIR for this process. A lock whose process has ended is taken over.
 * @throws Error with a sentence if another start holds the lock, or the directory is not writable
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

/** Creates the file with its complete text; false if it already exists. */
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

/** Removes a stale lock. If another start has replaced it meanwhile, the new lock is put back. */
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
