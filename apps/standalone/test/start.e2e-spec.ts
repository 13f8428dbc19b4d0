import { DETECTOR_IDS } from '@app/detectors';
import type { HostReport } from '@app/reports';
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { runLedger } from '../../../test/support/ledger';
import { balanceOf, newPayer } from '../../../test/support/payer';
import { stack } from '../../../test/support/stack';
import { until } from '../../../test/support/until';
import { watchService } from '../../../test/support/watched-fetch';
import { chainClient } from '../src/embedded/embedded-chain';
import { markOf } from '../src/embedded/process-mark';
import type { RunningFile } from '../src/running-file';

const SLOW = 180_000;

/** A start in progress or done, as somebody at a terminal sees it. */
interface Start {
  readonly child: ChildProcess;
  readonly screen: () => string;
  readonly ended: Promise<unknown>;
}

let dataDir: string;
const starts: Start[] = [];

beforeAll(() => {
  execFileSync(process.execPath, ['scripts/build-if-stale.mjs'], { stdio: 'ignore' });
  dataDir = mkdtempSync(join(tmpdir(), 'start-'));
}, SLOW);

afterAll(async () => {
  for (const { child, ended } of starts) {
    child.kill('SIGTERM');
    await ended;
  }
  rmSync(dataDir, { recursive: true, force: true });
}, SLOW);

function start(env: Readonly<Record<string, string>> = {}): Start {
  const child = spawn(process.execPath, ['dist/apps/standalone/src/main.js'], {
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', DATA_DIR: dataDir, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (said: string) => (text += said));
  const started = { child, screen: () => text, ended: once(child, 'close') };
  starts.push(started);
  return started;
}

function runningIn(dir: string): RunningFile {
  return JSON.parse(readFileSync(join(dir, 'running.json'), 'utf8')) as RunningFile;
}

async function untilReady(started: Start, dir = dataDir): Promise<RunningFile> {
  const runs = (): boolean => started.screen().includes('hostprobe runs at');
  await until('npm start', () => runs() || started.child.exitCode !== null);
  if (!runs()) throw new Error(started.screen());
  const running = runningIn(dir);
  await watchService(running.gateway);
  return running;
}

async function untilGone(pids: Readonly<Record<string, number>>): Promise<void> {
  await until('the end of every process', () => Object.values(pids).every((pid) => markOf(pid) === null));
}

async function settledPayments(databaseUrl: string): Promise<number> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<{ n: string }>(
    "SELECT count(*) AS n FROM payment_attempt WHERE state = 'settled'",
  );
  await client.end();
  return Number(rows[0]!.n);
}

describe('npm start', () => {
  it(
    'brings everything up, proves it with a purchase, and lays open how to reach it',
    async () => {
      const first = start();
      const running = await untilReady(first);
      for (const part of [
        'postgres',
        'migrations',
        'queue',
        'chain',
        'facilitator',
        'demo hosts',
        'worker',
        'gateway',
      ]) {
        expect(first.screen()).toMatch(new RegExp(`^${part} +.* \\d+ ms$`, 'm'));
      }
      expect(first.screen()).toContain('paid         0.02 USDC (balance 1000 -> 999.98)');
      expect(first.screen()).toMatch(/^ {2}ucp +present/m);

      expect(statSync(join(dataDir, 'running.json')).mode & 0o777).toBe(0o600);
      expect(Object.keys(running).sort()).toEqual(
        ['database', 'demoWallet', 'facilitator', 'gateway', 'payTo', 'pids', 'redis', 'rpc'].sort(),
      );
      const report = (await (
        await fetch(`${running.gateway}/api/v1/hosts/full-store.example.com`)
      ).json()) as HostReport;
      expect(report.protocols.map(({ id, status }) => `${id} ${status}`)).toEqual(
        DETECTOR_IDS.map((id) => `${id} ${id === 'acp' ? 'undiscoverable' : 'present'}`),
      );
      expect(report.fixes).toEqual([]);
      expect(report.paymentRails.payable).toBe(true);
      expect(await settledPayments(running.database)).toBe(1);
    },
    SLOW,
  );

  it(
    'refuses a second start on the same data',
    async () => {
      const second = start();
      await second.ended;
      expect(second.child.exitCode).toBe(1);
      expect(second.screen()).toMatch(/^hostprobe: .* is in use by another start \(process \d+\)/);
      expect(existsSync(join(dataDir, 'running.json'))).toBe(true);
    },
    SLOW,
  );

  it(
    'leaves no process behind when it is killed, and keeps the data for the next start',
    async () => {
      const killed = runningIn(dataDir);
      starts[0]!.child.kill('SIGKILL');
      await untilGone(killed.pids);
      expect(existsSync(join(dataDir, 'running.json'))).toBe(false);

      const next = start();
      const running = await untilReady(next);
      expect(next.screen()).toContain('(balance 999.98 -> 999.96)');
      expect(running.demoWallet).toEqual(killed.demoWallet);
      expect(running.payTo).toBe(killed.payTo);
      expect(await settledPayments(running.database)).toBe(2);

      next.child.kill('SIGTERM');
      await next.ended;
      expect(next.child.exitCode).toBe(0);
      await untilGone(running.pids);
      expect(existsSync(join(dataDir, 'running.json'))).toBe(false);
    },
    SLOW,
  );

  it(
    'ends with a sentence when one of its parts ends',
    async () => {
      const started = start({ DEMO: 'off' });
      const { pids } = await untilReady(started);
      process.kill(pids['chain']!, 'SIGKILL');
      await started.ended;
      expect(started.child.exitCode).toBe(1);
      expect(started.screen()).toContain('chain ended with SIGKILL');
      expect(started.screen()).not.toContain('buying a live look');
      await untilGone(pids);
    },
    SLOW,
  );

  it(
    'sells through an account of the gateway when it is given the key',
    async () => {
      const [key, payTo] = [generatePrivateKey(), privateKeyToAddress(generatePrivateKey())];
      const chain = chainClient(stack().rpcUrl, 8453);
      await chain.setBalance({ address: privateKeyToAddress(key), value: parseEther('1') });
      const started = start({
        DATA_DIR: join(dataDir, 'own-account'),
        X402_PAY_TO: payTo,
        X402_FACILITATOR_KEY: key,
        RPC_URL_8453: stack().rpcUrl,
      });
      const running = await untilReady(started, join(dataDir, 'own-account'));
      expect(started.screen()).toContain("real: eip155:8453 through the gateway's own account");
      expect(started.screen()).not.toContain(key.slice(2));
      expect(running).toMatchObject({ facilitator: null, payTo, rpc: stack().rpcUrl, demoWallet: null });
      const bought = await (await newPayer()).fetch(`${running.gateway}/api/v1/hosts/full-store.example.com/refresh`);
      expect(bought.status).toBe(200);
      expect(await balanceOf(payTo)).toBe(20_000n);
      expect(await chain.getTransactionCount({ address: privateKeyToAddress(key) })).toBe(1);
      const checked = await runLedger(['check'], { DATA_DIR: join(dataDir, 'own-account') });
      expect(checked).toMatchObject({ code: 0, said: expect.stringContaining('ledger   0.02 USDC, 1 in settled') });
      started.child.kill('SIGTERM');
      await started.ended;
    },
    SLOW,
  );

  it(
    'starts nothing when its port is taken',
    async () => {
      const other = createServer();
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      const { port } = other.address() as AddressInfo;
      const untouched = join(dataDir, 'untouched');
      const refused = start({ PORT: String(port), DATA_DIR: untouched });
      await refused.ended;
      other.close();
      expect(refused.child.exitCode).toBe(1);
      expect(refused.screen()).toBe(
        `hostprobe: port ${port} of 127.0.0.1 is taken by another program; stop it, or set PORT to another one\n`,
      );
      expect(existsSync(untouched)).toBe(false);
    },
    SLOW,
  );
});
