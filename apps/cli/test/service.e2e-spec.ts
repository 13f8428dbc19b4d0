import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from 'viem/accounts';
import { Client } from 'pg';
import { freePort } from '../../standalone/src/embedded/free-port';
import { runCommand } from '../../../test/support/command-line';
import { balanceOf, fund } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { backends } from '../../../test/support/stack';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';
import { EXIT } from '../src/terminal/exit-codes';
import type { Terminal } from '../src/terminal/terminal';

const EVIL = '# \u001B[31mShop\u001B[0m \u202Eevil\n\n- [a](https://shop.example.com/a)\n';

/** A server that is not a hostprobe service and gives the same response to every request. */
async function startImpostor(status: number, body: string): Promise<{ url: string; server: Server }> {
  const server = createServer((_request, response) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(body),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

describe('commands that call a service', () => {
  let service: Service;
  let shop: TestHost;
  let key: `0x${string}`;
  let account: PrivateKeyAccount;
  let database: Client;

  beforeAll(async () => {
    shop = await startTestHost({ '/llms.txt': says(EVIL, { 'content-type': 'text/plain' }) });
    service = await startService({
      backend: backends()[0]!,
      connectTo: ['shop', 'other'].map((name) => shop.as(`${name}.example.com`)),
      env: { FREE_PRESENCE_PROBE: 'off' },
    });
    await service.admitted();
    database = new Client({ connectionString: service.config.database.url });
    await database.connect();
  });
  afterAll(async () => {
    await database.end();
    await service.stop();
    await shop.close();
  });
  beforeEach(async () => {
    key = generatePrivateKey();
    account = privateKeyToAccount(key);
    await fund(account.address, 1_000_000n);
  });

  /** The authorizations in the ledger, which are those that were signed and sent. */
  const signed = async () =>
    (await database.query<{ n: number }>('SELECT count(*)::int AS n FROM payment_attempt')).rows[0]!.n;

  const run = (args: readonly string[], more: Partial<Terminal> = {}) =>
    runCommand(args, { env: { HOSTPROBE_URL: service.baseUrl, HOSTPROBE_KEY: key, DATA_DIR: '/nowhere' }, ...more });

  it('says that a host without a report was not probed yet', async () => {
    const { code, out, err } = await run(['report', 'other.example.com', '--gate', 'llms']);
    expect(out).toBe('other.example.com  https://other.example.com\nNot probed yet.\n');
    expect(err).toBe('gate: other.example.com: llms has never been checked\n');
    expect(code).toBe(EXIT.undecided);
  });

  it('pays for a refresh within the limit and prints what it bought, inert', async () => {
    const steps: string[] = [];
    const { code, out, err } = await run(['refresh', 'shop.example.com', '--max-usd', '0.02', '--gate', 'llms'], {
      progress: { step: (text) => steps.push(text), done: () => undefined },
    });
    expect(steps).toEqual([
      `asking ${service.baseUrl}`,
      'waiting for a live probe of shop.example.com, 0.02 USDC, charged when it is done',
    ]);
    expect(err).toMatch(/^paid 0\.02 USDC, transaction 0x[0-9a-f]{64}\n$/);
    expect(code).toBe(EXIT.done);
    expect(await balanceOf(account.address)).toBe(980_000n);
    expect(out).toMatch(/^shop\.example\.com {2}https:\/\/shop\.example\.com\nAgents can use this site/);
    expect(out).toMatch(/^llms +present .*Shop evil$/m);
    // eslint-disable-next-line no-control-regex
    expect(out).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202E]|\[31m/);

    const stored = await run(['report', 'shop.example.com', '--json', '--gate', 'llms,ucp']);
    expect(JSON.parse(stored.out)).toMatchObject({ domain: 'shop.example.com', cache: { presenceStale: false } });
    expect([stored.code, stored.err]).toEqual([EXIT.failed, 'gate: shop.example.com: ucp is absent\n']);
    const sarif = await run(['report', 'shop.example.com', '--sarif']);
    expect(JSON.parse(sarif.out)).toMatchObject({
      runs: [{ results: expect.arrayContaining([expect.objectContaining({ ruleId: 'ucp.missing' })]) }],
    });
  });

  it('refuses a price above its limit before it signs anything', async () => {
    const before = await signed();
    const { code, out, err } = await run(['refresh', 'shop.example.com', '--max-usd', '0.019']);
    expect([code, out]).toEqual([EXIT.overLimit, '']);
    expect(err).toBe(
      'a live probe of shop.example.com costs 0.02 USDC, above the spend limit of 0.019. Nothing was signed\n',
    );
    expect(await signed()).toBe(before);
    expect(await balanceOf(account.address)).toBe(1_000_000n);
  });

  it('asks for the limit at a terminal, and treats an empty answer as no', async () => {
    const questions: string[] = [];
    const answering = (answer: string) => ({
      ask: (question: string) => {
        questions.push(question);
        return Promise.resolve(answer);
      },
    });
    expect(await run(['refresh', 'shop.example.com'], answering(''))).toMatchObject({ code: EXIT.overLimit });
    expect(await balanceOf(account.address)).toBe(1_000_000n);
    expect(await run(['refresh', 'shop.example.com'], answering(' 0.05 '))).toMatchObject({ code: EXIT.done });
    expect(await balanceOf(account.address)).toBe(980_000n);
    expect(questions).toEqual(
      Array(2).fill('a live probe of shop.example.com costs 0.02 USDC. Spend limit in USD (empty to cancel): '),
    );
  });

  it('refuses to pay without a terminal and without a limit', async () => {
    const { code, err } = await run(['refresh', 'shop.example.com']);
    expect(code).toBe(EXIT.overLimit);
    expect(err).toContain('set a spend limit with --max-usd. Nothing was signed');
  });

  it('buys a batch and checks every host against the gate', async () => {
    const { code, out, err } = await run([
      'batch',
      'shop.example.com',
      'other.example.com',
      'shop.example.com',
      '--max-usd',
      '0.05',
      '--gate',
      'x402',
    ]);
    expect(code).toBe(EXIT.failed);
    expect(out).toMatch(/^shop\.example\.com +not payable {2}llms\nother\.example\.com +not payable {2}llms\n$/);
    expect(err).toContain('gate: other.example.com: x402 is absent\n');
    expect(await balanceOf(account.address)).toBe(1_000_000n - 14_000n);
  });

  it('says in one sentence each that the wallet has no money, and that there is no wallet', async () => {
    const poor = generatePrivateKey();
    const env = { HOSTPROBE_URL: service.baseUrl, HOSTPROBE_KEY: poor };
    const args = ['refresh', 'shop.example.com', '--max-usd', '1'];
    const unpaid = await run(args, { env });
    expect([unpaid.code, unpaid.out]).toEqual([EXIT.notPaid, '']);
    expect(unpaid.err).toMatch(
      new RegExp(`^wallet ${privateKeyToAccount(poor).address}: The payment was refused: \\S+; nothing was charged\n$`),
    );
    const none = await run(args, { env: { HOSTPROBE_URL: service.baseUrl } });
    expect(none).toEqual({
      code: EXIT.notPaid,
      out: '',
      err: 'a live probe of shop.example.com costs 0.02 USDC, and no wallet is set: set HOSTPROBE_KEY to its private key\n',
    });
  });

  it('distinguishes a dead service, another server, an invalid domain and an invalid variable', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    expect(await run(['report', 'shop.example.com', '--url', url])).toEqual({
      code: EXIT.serviceUnavailable,
      out: '',
      err: `cannot reach the service at ${url} (ECONNREFUSED)\n`,
    });
    expect(await run(['report', 'shop.example.com', '--url', 'http://127.0.0.1:1'])).toEqual({
      code: EXIT.serviceUnavailable,
      out: '',
      err: 'cannot reach the service at http://127.0.0.1:1 (bad port)\n',
    });
    const impostor = await startImpostor(200, '{"hello":"world"}');
    expect(await run(['report', 'shop.example.com', '--url', impostor.url])).toMatchObject({
      code: EXIT.serviceUnavailable,
    });
    impostor.server.close();
    expect(await run(['refresh', '10.0.0.1', '--max-usd', '1'])).toMatchObject({ code: EXIT.wrongDomain });
    expect(await run(['report', 'shop.example.com'], { env: { DATA_DIR: '/nowhere' } })).toEqual({
      code: EXIT.usage,
      out: '',
      err: 'no service is running on this machine; start one with npm start, or name one with --url or HOSTPROBE_URL\n',
    });
    const wrongKey = await run(['refresh', 'shop.example.com'], { env: { HOSTPROBE_URL: url, HOSTPROBE_KEY: '0x12' } });
    expect(wrongKey.err).toBe('HOSTPROBE_KEY must be a private key: 0x and 64 hex digits\n');
    expect(wrongKey.code).toBe(EXIT.usage);
  });

  it('does not let a hostile service control the terminal or substitute the price of another purchase', async () => {
    const bad = await startImpostor(503, JSON.stringify({ error: '\u001B[2Jgone\u202E', code: 'busy' }));
    expect((await run(['report', 'shop.example.com', '--url', bad.url])).err).toBe('the service replied: gone\n');
    bad.server.close();
    const other = {
      x402Version: 2,
      resource: { url: 'http://127.0.0.1/' },
      accepts: [
        {
          scheme: 'exact',
          network: 'eip155:8453',
          amount: '1',
          asset: '0x1111111111111111111111111111111111111111',
          payTo: account.address,
          maxTimeoutSeconds: 60,
          extra: { name: 'Other', version: '1' },
        },
      ],
    };
    const greedy = await startImpostor(402, JSON.stringify({ ...other, x402Version: 1 }));
    const { code, err } = await run(['refresh', 'shop.example.com', '--max-usd', '1', '--url', greedy.url]);
    expect(code).toBe(EXIT.notPaid);
    expect(err).toContain('does not sell');
    greedy.server.close();
  });

  it('runs as the command of the package, by its own name', async () => {
    const env = { PATH: process.env['PATH'] ?? '', HOSTPROBE_URL: service.baseUrl, HOSTPROBE_KEY: key };
    const bin = (...args: string[]) =>
      new Promise<{ code: unknown; out: string; err: string }>((resolve) => {
        execFile(join('bin', 'hostprobe.mjs'), args, { env }, (error, out, err) => {
          resolve({ code: error?.code ?? 0, out, err });
        });
      });
    const bought = await bin('refresh', 'shop.example.com', '--max-usd', '0.05', '--json');
    expect(bought.err).toMatch(/^hostprobe: paid 0\.02 USDC/);
    expect(JSON.parse(bought.out)).toMatchObject({ domain: 'shop.example.com', reachable: true });
    expect(await bin('refresh', 'shop.example.com', '--max-usd', '0.001')).toMatchObject({
      code: EXIT.overLimit,
      out: '',
    });
    expect(await bin('report', 'shop.example.com', '--url', 'http://127.0.0.1:1')).toMatchObject({
      code: EXIT.serviceUnavailable,
    });
    expect(await bin('frobnicate')).toMatchObject({ code: EXIT.usage });
  });
});
