import { fork } from 'node:child_process';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { EmbeddedProcess, SpawnedProcess } from './embedded/embedded-process';
import { errorInLog } from './embedded/error-in-log';
import { markOf, stopProcess } from './embedded/process-mark';

export interface Service {
  readonly name: 'gateway' | 'worker';
  readonly env: NodeJS.ProcessEnv;
  /** Receives the service's own log. */
  readonly logDir: string;
  readonly onSpawn: (spawned: SpawnedProcess) => void;
}

/**
 * What keeps a service small, as in the image. For glibc's allocator: with an arena per core and a threshold that grows,
 * what hostile answers took stays with the process after they are gone. For V8: its heap may grow to four times what is
 * alive before it is swept, unless its bound is near.
 */
export const MEMORY_SETTINGS: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
  NODE_OPTIONS: '--max-old-space-size=1024',
};

const READY_WITHIN_MS = 30_000;

/** A service has work in hand when it is told to stop, a probe and its settlement; it is waited for this long. */
const STOP_GRACE_MS = 60_000;

/** Where a service logs, over all its starts. */
export function logFileOf({ name, logDir }: Service): string {
  return join(logDir, `${name}.log`);
}

/**
 * Starts the gateway or the worker as a process of its own, the very same that a deployment starts, and waits until it
 * reports over IPC that it is ready. It ends by itself when this process disappears.
 */
export async function startService(service: Service): Promise<EmbeddedProcess> {
  const logFile = logFileOf(service);
  const log = openSync(logFile, 'a', 0o600);
  const { size } = fstatSync(log);
  const because = (): string => {
    const error = errorInLog(logFile, size).replace(/^The \w+ (?:stops|ends): /, '');
    return error === '' ? '' : `: ${error}`;
  };
  const child = fork(join(__dirname, '..', '..', service.name, 'src', 'main.js'), [], {
    env: { ...MEMORY_SETTINGS, ...service.env },
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
    execArgv: [],
  });
  closeSync(log);
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => {
      resolve(`the ${service.name} could not be started: ${error.message}`);
    });
    child.once('exit', (code, signal) => {
      resolve(`the ${service.name} crashed (${signal ?? `exit ${String(code)}`})${because()}`);
    });
  });
  const mark = child.pid === undefined ? null : markOf(child.pid);
  if (mark === null) throw new Error(await ended);
  service.onSpawn({ mark, stopSignal: 'SIGTERM' });
  const stop = async () => {
    await stopProcess(mark, 'SIGTERM', STOP_GRACE_MS);
    await ended;
  };
  let timer: NodeJS.Timeout | undefined;
  const outcome = await Promise.race([
    ended,
    new Promise<'ready'>((resolve) =>
      child.on('message', (message) => {
        if (message === 'ready') resolve('ready');
      }),
    ),
    new Promise<'late'>((resolve) => {
      timer = setTimeout(resolve, READY_WITHIN_MS, 'late');
    }),
  ]);
  clearTimeout(timer);
  if (outcome !== 'ready') {
    await stop();
    throw new Error(outcome === 'late' ? `the ${service.name} was not ready within 30 s${because()}` : outcome);
  }
  return { name: service.name, mark, stopSignal: 'SIGTERM', ended, stop };
}
