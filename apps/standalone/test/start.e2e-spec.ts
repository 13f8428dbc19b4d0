import { DETECTOR_IDS } from '@app/detectors';
import { Database, PaymentRepository } from '@app/storage';
import type { HostReport } from '@app/reports';
import { execFileSync, spawn, spawnSync, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from 'pg';
import { parseEther } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { runCommand } from '../../../test/support/command-line';
import { runLedger } from '../../../test/support/ledger';
import { balanceOf, newPayer } from '../../../test/support/payer';
import { stack } from '../../../test/support/stack';
import { until } from '../../../test/support/until';
import { watchService } from '../../../test/support/watched-fetch';
import { chainClient } from '../src/embedded/embedded-chain';
import { markOf } from '../src/embedded/process-mark';
import type { NewWatchState, WatchState } from '../../gateway/src/owners/watch-state';
import type { RunningFile } from '../src/running-file';

const SLOW = 180_000;

/** A running or finished start, as seen at a terminal. */
interface Start {
  readonly child: ChildProcess;
  readonly screen: () => string;
  readonly ended: Promise<unknown>;
}

let dataDir: string;
const starts: Start[] = [];
/** The start that sells with its own key, and whose processes are killed afterwards. */
let own: { readonly started: Start; readonly dir: string } | undefined;

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

/** In the order of the list. */
const DEMO_SITES = [
  'full-store',
  'api-only',
  'other-payee',
  'partial',
  'bare',
  'html-everywhere',
  'broken-tls',
  'rate-limited',
  'bot-wall',
];

const MAIN = 'dist/apps/standalone/src/main.js';

function start(env: Readonly<Record<string, string>> = {}, account: SpawnOptions = {}): Start {
  const child = spawn(process.execPath, [MAIN], {
    ...account,
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

/** A new folder for each attempt of a test. */
const folder = (name: string): string => mkdtempSync(join(dataDir, `${name}-`));

/** A PATH with a `redis-server` before that of the machine. */
function withQueue(dir: string, program: string): string {
  writeFileSync(join(dir, 'redis-server'), program, { mode: 0o755 });
  return `${dir}:${process.env['PATH'] ?? ''}`;
}
const ON_POSTGRES = /^queue +on Postgres \(redis-server did not start: .+\)/m;

function runningIn(dir: string): RunningFile {
  return JSON.parse(readFileSync(join(dir, 'running.json'), 'utf8')) as RunningFile;
}

async function untilReady(started: Start, dir = dataDir): Promise<RunningFile> {
  const runs = (): boolean => started.screen().includes('hostprobe is running at');
  await until('npm start', () => runs() || started.child.exitCode !== null);
  if (!runs()) throw new Error(started.screen());
  const running = runningIn(dir);
  await watchService(running.gateway);
  return running;
}

async function untilGone(pids: Readonly<Record<string, number>>): Promise<void> {
  await until('the end of every process', () => Object.values(pids).every((pid) => markOf(pid) === null));
}

/** The encryption key of the stored data, as the start keeps it. */
const secretsKey = (): string => join(dataDir, 'keys', 'secrets.key');

/** The signatures of settled payments, oldest first, decrypted with the kept key only. */
async function openedSignatures(databaseUrl: string): Promise<readonly unknown[]> {
  const database = new Database(databaseUrl, { secretsKeys: [readFileSync(secretsKey(), 'utf8').trim()] });
  try {
    const { rows } = await database.pool.query<{ id: string }>(
      "SELECT id FROM payment_attempt WHERE state = 'settled' ORDER BY created_at",
    );
    const attempts = await Promise.all(rows.map(({ id }) => new PaymentRepository(database).find(id)));
    return attempts.map((attempt) => attempt!.payment.payload['signature']);
  } finally {
    await database.close();
  }
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

/** Publishes a file for a demo host, as a visitor does. */
function publish(path: string, content: string): void {
  const file = join(dataDir, 'demo', 'bare.example.com', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

/** Runs a program of docs/examples.md from the clone with the data of this start. */
function runDocumented(name: string, args: readonly string[]): { readonly out: string; readonly err: string } {
  const examples = readFileSync('docs/examples.md', 'utf8');
  const [, program = ''] = examples.slice(examples.indexOf(`\`${name}\``)).split(/^```(?:js)?\n/m);
  const here = program.replaceAll('.data/', `${dataDir}/`);
  const node = ['--input-type=module', '-e', here, '-', ...args];
  const { status, stdout: out, stderr: err } = spawnSync(process.execPath, node, { encoding: 'utf8' });
  if (status !== 0) throw new Error(err);
  return { out, err };
}

/** What such a program prints. */
const documented = (name: string, ...args: readonly string[]): unknown => JSON.parse(runDocumented(name, args).out);

describe('npm start', () => {
  it(
    'starts everything, proves it with a purchase, and prints how to reach it',
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
      expect(first.screen()).toMatch(/verified from public URLs: all \d\d results reproduced$/m);
      expect(first.screen()).toMatch(/^ {2}ucp +present/m);
      const listed = [...first.screen().matchAll(/^ {2}(http\S+\/hosts\/(\S+)) {2,}\S.*$/gm)];
      expect(listed.map(([, page]) => page)).toEqual(
        DEMO_SITES.map((name) => `${running.gateway}/hosts/${name}.example.com`),
      );
      expect(first.screen().indexOf(listed.at(-1)![0])).toBeLessThan(first.screen().indexOf('hostprobe is running at'));

      expect(statSync(join(dataDir, 'running.json')).mode & 0o777).toBe(0o600);
      expect(Object.keys(running).sort()).toEqual(
        ['database', 'demoHosts', 'demoWallet', 'facilitator', 'gateway', 'payTo', 'pids', 'redis', 'rpc'].sort(),
      );
      const report = (await (
        await fetch(`${running.gateway}/api/v1/hosts/full-store.example.com`)
      ).json()) as HostReport;
      expect(report.protocols.map(({ id, status }) => `${id} ${status}`)).toEqual(
        DETECTOR_IDS.map((id) => `${id} ${id === 'acp' ? 'undiscoverable' : 'present'}`),
      );
      expect(report.fixes).toEqual([]);
      expect(report.paymentRails.payable).toBe(true);
    },
    SLOW,
  );

  it(
    'probes its demo sites after the start, so that the start page shows them',
    async () => {
      const { gateway, database } = runningIn(dataDir);
      await until('a purchase of each', async () => (await settledPayments(database)) === DEMO_SITES.length);
      // Not by fetch: the document that its answers are held against has no pages.
      const page = await text(await new Promise<IncomingMessage>((resolve) => get(`${gateway}/`, resolve)));
      for (const name of DEMO_SITES) expect(page).toContain(`<a href="/hosts/${name}.example.com">`);
      const report = async (name: string) =>
        (await (await fetch(`${gateway}/api/v1/hosts/${name}.example.com`)).json()) as HostReport;
      expect((await report('broken-tls')).protocols[0]).toMatchObject({
        status: 'error',
        details: { reason: 'tls_error', evidence: [{ failureDetail: 'expired' }] },
      });
      expect((await report('partial')).protocols[0]).toMatchObject({ id: 'ucp', status: 'partial' });
      const payee = (await report('other-payee')).protocols.find(({ id }) => id === 'x402');
      expect(payee!.details['findings']).toContainEqual(expect.objectContaining({ id: 'payee_differs' }));
    },
    SLOW,
  );

  it(
    'lets the command line reach its demo sites',
    async () => {
      const env = { DATA_DIR: dataDir };
      const { code, out } = await runCommand(['probe', 'partial.example.com'], { env });
      expect([code, out]).toEqual([0, expect.stringMatching(/^ucp +partial/m)]);
    },
    SLOW,
  );

  it(
    'checks claims of its demo hosts against the files that a visitor publishes in a folder',
    async () => {
      const { gateway } = runningIn(dataDir);
      const begun = (await (
        await fetch(`${gateway}/api/v1/hosts/bare.example.com/claims`, { method: 'POST' })
      ).json()) as { id: string; key: string; record: { value: string }; file: { content: string } };
      publish('dns.txt', begun.record.value);
      publish('.well-known/hostprobe-claim.txt', begun.file.content);
      const headers = { authorization: `Bearer ${begun.key}` };
      await until('a check that finds both', async () => {
        const { level, found } = (await (await fetch(`${gateway}/api/v1/claims/${begun.id}`, { headers })).json()) as {
          level: string;
          found: { dns: string; file: string } | null;
        };
        return level === 'dns' && found?.dns === 'found' && found.file === 'found';
      });
    },
    SLOW,
  );

  it(
    'sells a watch of a demo host, whose alert the Standard Webhooks library verifies, as in the examples',
    async () => {
      const host = '/api/v1/hosts/bare.example.com/refresh';
      expect(documented('pay.mjs', host)).toMatchObject({ domain: 'bare.example.com' });
      const wanted = { domain: 'bare.example.com', url: 'https://hooks.example.com/' };
      const { key, id, secret } = documented('pay.mjs', '/api/v1/watches', JSON.stringify(wanted)) as NewWatchState;
      const headers = { authorization: `Bearer ${key}` };
      const { gateway } = runningIn(dataDir);
      await until('the challenge is answered', async () => {
        const shown = (await (await fetch(`${gateway}/api/v1/watches/${id}`, { headers })).json()) as WatchState;
        return shown.status === 'active';
      });
      publish('llms.txt', '# Bare\n\n> Sells nothing yet.\n');
      expect(documented('pay.mjs', host)).toMatchObject({ domain: 'bare.example.com' });
      await until('an alert', () =>
        readFileSync(join(dataDir, 'demo', 'alerts.jsonl'), 'utf8').includes('host.changed'),
      );
      expect(documented('verify-alert.mjs', secret)).toMatchObject({
        type: 'host.changed',
        data: { domain: 'bare.example.com', statement: `${gateway}/api/v1/hosts/bare.example.com/statement` },
      });
      const other = `whsec_${Buffer.alloc(24).toString('base64')}`;
      expect(() => documented('verify-alert.mjs', other)).toThrow('No matching signature found');
    },
    SLOW,
  );

  it(
    'verifies the receipt of a purchase, as the examples say',
    () => {
      const { payTo } = runningIn(dataDir);
      const { err } = runDocumented('pay.mjs', ['/api/v1/hosts/api-only.example.com/refresh']);
      const [, transaction] = /^transaction (0x[0-9a-f]{64})$/m.exec(err)!;
      expect(
        documented('pay.mjs', `/api/v1/receipts/${transaction}/verify?payTo=${payTo}&amountUsd=0.02`),
      ).toMatchObject({
        data: { verdict: 'settled', amount: '20000' },
      });
    },
    SLOW,
  );

  it(
    'refuses a second start on the same data',
    async () => {
      const second = start();
      await second.ended;
      expect(second.child.exitCode).toBe(1);
      expect(second.screen()).toMatch(/^hostprobe: .* is in use by another npm start \(process \d+\)/);
      expect(existsSync(join(dataDir, 'running.json'))).toBe(true);
    },
    SLOW,
  );

  it(
    'leaves no process when it is killed, keeps the data and its encryption key for the next start, and exits with one of its processes',
    async () => {
      const killed = runningIn(dataDir);
      const [key, sealed] = [readFileSync(secretsKey(), 'utf8'), await openedSignatures(killed.database)];
      expect(sealed).toEqual(Array(14).fill(expect.stringMatching(/^0x[0-9a-f]{130}$/)));
      starts[0]!.child.kill('SIGKILL');
      await untilGone(killed.pids);
      expect(existsSync(join(dataDir, 'running.json'))).toBe(false);

      const next = start({ PUBLIC_BASE_URL: 'https://hostprobe.example.org' });
      const running = await untilReady(next);
      expect(next.screen()).not.toContain('failed');
      expect(next.screen()).toContain('(balance 999.749 -> 999.729)');
      expect(running.demoWallet).toEqual(killed.demoWallet);
      expect(running.payTo).toBe(killed.payTo);
      expect(await settledPayments(running.database)).toBe(15);
      expect([readFileSync(secretsKey(), 'utf8'), statSync(secretsKey()).mode & 0o777]).toEqual([key, 0o600]);
      expect(await openedSignatures(running.database)).toEqual([...sealed, expect.stringMatching(/^0x/)]);

      process.kill(running.pids['chain']!, 'SIGKILL');
      await next.ended;
      expect(next.child.exitCode).toBe(1);
      expect(next.screen()).toContain('chain ended with SIGKILL');
      await untilGone(running.pids);
      expect(existsSync(join(dataDir, 'running.json'))).toBe(false);
    },
    SLOW,
  );

  it(
    'settles through an account of the gateway when it has the key, also with a broken redis-server, and says why',
    async () => {
      const [key, payTo] = [generatePrivateKey(), privateKeyToAddress(generatePrivateKey())];
      const chain = chainClient(stack().rpcUrl, 8453);
      await chain.setBalance({ address: privateKeyToAddress(key), value: parseEther('1') });
      const dir = folder('own-account');
      const started = start({
        PATH: withQueue(dir, '#!/bin/sh\necho it is broken\nexit 1\n'),
        DATA_DIR: dir,
        X402_PAY_TO: payTo,
        X402_FACILITATOR_KEY: key,
        RPC_URL_8453: stack().rpcUrl,
      });
      own = { started, dir };
      const running = await untilReady(started, dir);
      expect(started.screen()).toMatch(ON_POSTGRES);
      expect(started.screen()).toContain("real: eip155:8453 through the gateway's own facilitator");
      expect(started.screen()).not.toContain(key.slice(2));
      expect(running).toMatchObject({ facilitator: null, payTo, rpc: stack().rpcUrl, demoWallet: null });
      const bought = await (await newPayer()).fetch(`${running.gateway}/api/v1/hosts/full-store.example.com/refresh`);
      expect(bought.status).toBe(200);
      expect(await balanceOf(payTo)).toBe(20_000n);
      expect(await chain.getTransactionCount({ address: privateKeyToAddress(key) })).toBe(1);
      const checked = await runLedger(['check'], { DATA_DIR: dir });
      expect(checked).toMatchObject({ code: 0, said: expect.stringContaining('ledger   0.02 USDC, 1 in settled') });
    },
    SLOW,
  );

  it(
    'restarts a crashed gateway or worker, says so, and gives up after the fifth crash in a minute',
    async () => {
      const { started, dir } = own!;
      const { gateway, pids } = runningIn(dir);
      const refused: number[] = [];
      const killOf = async (name: string): Promise<void> => {
        const pid = runningIn(dir).pids[name]!;
        process.kill(pid, 'SIGKILL');
        while (name === 'worker' && runningIn(dir).pids[name] === pid) {
          const asked = await fetch(`${gateway}/api/v1/hosts/shop.example.com/refresh`);
          if (asked.status === 503) refused.push(asked.status);
        }
        await until(`another ${name}`, () => runningIn(dir).pids[name] !== pid);
      };
      await killOf('worker');
      expect(refused).not.toEqual([]); // Payments are refused before the next gateway runs, and before money is requested.
      await killOf('gateway');
      // The file of process ids is written before the line is printed, and the line arrives through a pipe.
      await until('the line of the gateway', () => /^the gateway is running again$/m.test(started.screen()));
      expect(started.screen()).toMatch(/^the worker crashed \(SIGKILL\)\. Restarting in 0\.25 s; log: .*worker\.log$/m);
      expect((await fetch(`${gateway}/health/live`)).status).toBe(200);
      for (let times = 0; times < 3; times += 1) await killOf('gateway');
      process.kill(runningIn(dir).pids['gateway']!, 'SIGKILL');
      await started.ended;
      expect(started.child.exitCode).toBe(1);
      expect(started.screen()).toMatch(/the gateway crashed \(SIGKILL\), 5 times in a minute; log: .*gateway\.log/);
      await untilGone(pids);
    },
    SLOW,
  );

  it(
    'runs for a user without a home or write access to the clone, under a path with spaces and quotes',
    async () => {
      const parent = mkdtempSync(join(tmpdir(), "start it's a \\ path "));
      chmodSync(parent, 0o777);
      const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
      const [PATH, DATA_DIR] = [withQueue(parent, 'not a program\n'), join(parent, 'data')];
      const one = start({ PATH, DATA_DIR, HOME: '/nonexistent', DEMO: 'off' }, nobody);
      const running = await untilReady(one, DATA_DIR);
      expect(one.screen()).toMatch(ON_POSTGRES);
      one.child.kill('SIGTERM');
      await one.ended;
      expect([one.child.exitCode, running.payTo]).toEqual([0, expect.stringMatching(/^0x/)]);
      expect(one.screen()).not.toContain('Buying a live probe');
      await untilGone(running.pids);
      expect(existsSync(join(DATA_DIR, 'running.json'))).toBe(false);
      rmSync(parent, { recursive: true, force: true });
    },
    SLOW,
  );

  it.each(['64k', '6m'])(
    'exits with one sentence on a disk of %s',
    (size) => {
      const dir = mkdtempSync(join(tmpdir(), 'start-full-'));
      const mounted = [
        '-m',
        'sh',
        '-c',
        'mount -t tmpfs -o size="$1" tmpfs "$2" || exit 77; shift 2; exec "$@"',
        '-',
        size,
      ];
      const { status, stderr } = spawnSync('unshare', [...mounted, dir, process.execPath, resolve(MAIN)], {
        env: { PATH: process.env['PATH'] ?? '', DATA_DIR: join(dir, 'data'), PORT: '0', DEMO: 'off' },
        encoding: 'utf8',
      });
      rmSync(dir, { recursive: true });
      // Where no file system can be mounted, src/reason.spec.ts tests this.
      if (status === 77 || (status !== 1 && process.getuid?.() !== 0)) return;
      expect([status, stderr]).toEqual([
        1,
        `hostprobe: the disk of ${dir}/data is full; free some space, or set DATA_DIR to a directory on another disk\n`,
      ]);
    },
    SLOW,
  );

  it(
    'starts nothing when its port is in use',
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
        `hostprobe: port ${port} of 127.0.0.1 is in use by another program; stop it, or set another PORT\n`,
      );
      expect(existsSync(untouched)).toBe(false);
    },
    SLOW,
  );
});
