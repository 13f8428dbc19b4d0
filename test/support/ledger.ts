import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

/** The exit code and output of `npm run ledger -- ...`. */
export interface LedgerRun {
  readonly code: number;
  readonly said: string;
}

/** Runs the built operator command in its own process. */
export async function runLedger(args: readonly string[], env: Readonly<Record<string, string>>): Promise<LedgerRun> {
  const child = spawn(process.execPath, [resolve('dist/apps/cli/src/main.js'), 'ledger', ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (said += text.toString()));
  const [code] = (await once(child, 'close')) as [number];
  return { code, said };
}
