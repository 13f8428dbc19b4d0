import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { given, type Variables } from '@app/config';

/** Where `npm start` says what runs (contract 7). */
export function runningFile(env: Variables): string {
  return join(given(env, 'DATA_DIR') ?? '.data', 'running.json');
}

/** What stands there, as it was written; undefined when nothing runs in DATA_DIR. */
export function readRunningFile(env: Variables): unknown {
  const file = runningFile(env);
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as unknown) : undefined;
}
