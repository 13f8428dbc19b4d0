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
  /** The directory of the queue's append-only file and its password, kept between starts. */
  readonly dir: string;
  /** The directories to search for programs, in the format of PATH. */
  readonly path: string;
  /** The number of databases; 16 by default. */
  readonly databases?: number;
  readonly onSpawn?: (spawned: SpawnedProcess) => void;
}

/**
 * Starts our own Redis on a free port of 127.0.0.1 if `redis-server` is on the PATH. Otherwise returns null, and
 * BullMQ keeps its queues in Postgres.
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

/** BullMQ's requirements: nothing may be evicted, and jobs survive a crash, except those of the last second. */
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

/**
 * Why a Redis does not accept commands, in its own words; null if it does. A Redis that is loading its log does not
 * accept commands either.
 */
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
