import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Makes a directory that only its owner can read. */
export function privateDirectory(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
}

/** Writes a file that only its owner can read, whole or not at all. */
export function writePrivateFile(path: string, text: string): void {
  privateDirectory(dirname(path));
  const draft = `${path}.${process.pid}.draft`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, path);
}

/** The system's name of an error, such as ENOENT; not by its class, which differs between realms. */
export function errorCode(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

/** The file's text, or undefined when there is no such file. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(String(errorCode(error)))) return undefined;
    throw error;
  }
}

/** 32 random bytes in hex, drawn on the first call and kept in `path` for all later ones. */
export function keptSecret(path: string): string {
  const kept = readIfThere(path)?.trim();
  if (kept !== undefined && /^[0-9a-f]{64}$/.test(kept)) return kept;
  const secret = randomBytes(32).toString('hex');
  writePrivateFile(path, `${secret}\n`);
  return secret;
}
