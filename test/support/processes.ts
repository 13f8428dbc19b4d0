import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { watchService } from './watched-fetch';

/** How long a process may take to start on a busy machine, in milliseconds. */
const READY_WITHIN_MS = 90_000;

/** Starts a built app in its own process, as in a deployment. @throws if it does not get ready. */
export async function startApp(
  app: 'gateway' | 'worker',
  env: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  const child = spawn(process.execPath, [resolve(`dist/apps/${app}/src/main.js`)], {
    env: { PATH: process.env['PATH'] ?? '', LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const signal = AbortSignal.timeout(READY_WITHIN_MS);
  const said = await Promise.race([once(child, 'message', { signal }), once(child, 'exit', { signal })]).then(
    ([word]) => word as unknown,
    () => 'nothing in time',
  );
  if (said === 'ready') {
    if (app === 'gateway') await watchService(`http://127.0.0.1:${env['PORT']}`);
    return child;
  }
  await kill(child);
  throw new Error(`the ${app} did not start: it said ${String(said)}`);
}

/** Kills a process without warning, like a power cut. */
export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/**
 * Stops a process as in a rolling restart, and waits until it has finished its work; returns its exit code or signal.
 */
export async function end(child: ChildProcess): Promise<number | NodeJS.Signals | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    await gone;
  }
  return child.exitCode ?? child.signalCode;
}
