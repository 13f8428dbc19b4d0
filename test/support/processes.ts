import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

/** An app as its own process, from the build, as a deployment runs it. */
export async function startApp(
  app: 'gateway' | 'worker',
  env: Readonly<Record<string, string>>,
): Promise<ChildProcess> {
  const child = spawn(process.execPath, [resolve(`dist/apps/${app}/src/main.js`)], {
    env: { PATH: process.env['PATH'] ?? '', LOG_LEVEL: 'warn', ...env },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [said] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [unknown];
  if (said !== 'ready') throw new Error(`the ${app} did not start`);
  return child;
}

/** Ends a process as a power cut would. */
export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}
