import { Redis } from 'ioredis';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { defined } from '@app/platform';
import { startProcess, type EmbeddedProcess, type SpawnedProcess } from './embedded-process';
import { freePort } from './free-port';
import { keptSecret, privateDirectory } from './private-file';

export interface EmbeddedQueue {
  /** Connection URL, password included. */
  readonly url: string;
  readonly process: EmbeddedProcess;
}

export interface QueueOptions {
  /** Holds the queue's log of changes and its password; kept from one start to the next. */
  readonly dir: string;
  /** Where programs are searched, as in the variable PATH. */
  readonly path: string;
  /** Numbered databases it keeps apart; 16 unless told. */
  readonly databases?: number;
  readonly onSpawn?: (spawned: SpawnedProcess) => void;
}

/**
 * Starts a Redis of our own on a free port of 127.0.0.1 when the machine has `redis-server` on its PATH, otherwise
 * answers null: BullMQ then keeps its queues in Postgres.
 */
export async function startQueue(options: QueueOptions): Promise<EmbeddedQueue | null> {
  const { dir, path, databases = 16 } = options;
  const command = findProgram('redis-server', path);
  if (command === undefined) return null;
  privateDirectory(dir);
  const password = keptSecret(join(dir, 'password'));
  const port = await freePort();
  const url = `redis://:${password}@127.0.0.1:${port}`;
  const process = await startProcess({
    name: 'redis',
    command,
    args: ['-'], // settings come on standard input: the password must not be seen in the list of processes
    input: settings(dir, port, password, databases),
    stateDir: dir,
    stopSignal: 'SIGTERM',
    ...defined({ onSpawn: options.onSpawn }),
    isReady: async () => (await silenceOf(url)) === null,
  });
  return { url, process };
}

/** BullMQ's demands: nothing may be evicted, and jobs survive a crash but for the last second. */
function settings(dir: string, port: number, password: string, databases: number): string {
  return [
    'bind 127.0.0.1',
    `port ${port}`,
    `requirepass ${password}`,
    `databases ${databases}`,
    `dir ${JSON.stringify(dir)}`,
    'daemonize no',
    'maxmemory-policy noeviction',
    'appendonly yes',
    'appendfsync everysec',
    'save ""',
    '',
  ].join('\n');
}

function findProgram(name: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .filter(isAbsolute)
    .map((dir) => join(dir, name))
    .find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Why a Redis does not take commands, in its own words; null when it does. One that reads its log is silent, too. */
export async function silenceOf(url: string): Promise<string | null> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null, enableOfflineQueue: false });
  let refused: Error | undefined;
  redis.on('error', (error: Error) => {
    refused ??= error; // the promise below says only that the connection is closed
  });
  try {
    await redis.connect();
    await redis.ping();
    return null;
  } catch (error) {
    return (refused ?? (error as Error)).message;
  } finally {
    redis.disconnect();
  }
}
