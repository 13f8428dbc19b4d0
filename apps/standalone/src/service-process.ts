import { fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { supervise, type EmbeddedProcess, type SpawnedProcess } from './embedded/embedded-process';
import { errorInLog } from './embedded/error-in-log';

export interface Service {
  readonly name: 'gateway' | 'worker';
  readonly env: NodeJS.ProcessEnv;
  /** The directory of the service's log. */
  readonly logDir: string;
  readonly onSpawn: (spawned: SpawnedProcess) => void;
}

/**
 * Limits the memory of a service, as in the image. glibc: with one arena per core and a growing threshold, the
 * memory of hostile responses would stay with the process after they are freed. V8: its heap may grow to four times
 * the live data before a collection, unless the limit is near.
 */
export const MEMORY_SETTINGS: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
  NODE_OPTIONS: '--max-old-space-size=1024',
};

const READY_MS = 30_000;

/** How long to wait for a service to stop, in milliseconds: it may have to finish a probe and its settlement. */
const STOP_GRACE_MS = 60_000;

/** The log file of a service, shared by all its starts. */
export function logFileOf({ name, logDir }: Service): string {
  return join(logDir, `${name}.log`);
}

/**
 * Starts the gateway or the worker in its own process, with the same program as in a deployment, and waits until it
 * reports over IPC that it is ready. It ends by itself if this process disappears.
 */
export async function startService(service: Service): Promise<EmbeddedProcess> {
  const { name, onSpawn } = service;
  const logFile = logFileOf(service);
  const log = openSync(logFile, 'a', 0o600);
  const { size } = fstatSync(log);
  const child = fork(join(__dirname, '..', '..', service.name, 'src', 'main.js'), [], {
    env: { ...MEMORY_SETTINGS, ...service.env },
    detached: true,
    stdio: ['ignore', log, log, 'ipc'],
    execArgv: [],
  });
  closeSync(log);
  const untilReady = async (): Promise<void> => {
    await once(child, 'message');
  };
  const supervised = {
    ...{ name, title: `the ${name}`, onSpawn, graceMs: STOP_GRACE_MS, readyMs: READY_MS },
    stopSignal: 'SIGTERM',
    ending: (code: number | null, signal: string | null) => `crashed (${signal ?? `exit ${String(code)}`})`,
    because: () => errorInLog(logFile, size).replace(/^The \w+ (?:is stopping|stopped): /, ''),
  } as const;
  return supervise(child, supervised, untilReady);
}
