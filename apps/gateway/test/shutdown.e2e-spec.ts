import { resolve } from 'node:path';
import { privateKeyToAddress, generatePrivateKey } from 'viem/accounts';
import { freePort } from '../../standalone/src/embedded/free-port';
import { fleetEnv } from '../../../test/support/chaos/fleet';
import { runLedger } from '../../../test/support/ledger';
import { asMeta, callTool, NATIVE } from '../../../test/support/mcp';
import { balanceOf, newPayer, signPayment, type Payer } from '../../../test/support/payer';
import { end, kill, startApp } from '../../../test/support/processes';
import { backends, stack } from '../../../test/support/stack';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';
import { until } from '../../../test/support/until';

const BUYERS = 12;
const SLOW_MS = 600;

/** The result of one purchase: a response, or a connection refused before anything was sent. */
type End = { readonly kind: 'answer'; readonly status: number } | { readonly kind: 'refused' | 'dropped' };

describe('SIGTERM under load of paid refreshes', () => {
  let host: TestHost;
  let payers: readonly Payer[];
  beforeAll(async () => {
    host = await startTestHost({
      '*': (_request, response) => setTimeout(() => response.writeHead(404).end(), SLOW_MS),
    });
    payers = await Promise.all(Array.from({ length: BUYERS }, () => newPayer()));
  });
  afterAll(() => host.close());

  it('answers every request, and only charges for answers', async () => {
    const names = Array.from({ length: BUYERS }, (_, at) => `h${at}.example.com`);
    const { payTo, base, env, worker, gateway } = await startPair(names.map((name) => host.as(name)));

    let dispatched = 0;
    const buy = async (payer: Payer, name: string): Promise<End> => {
      const url = `${base}/api/v1/hosts/${name}/refresh`;
      const payment = await signPayment(payer, await fetch(url));
      dispatched += 1;
      return fetch(url, { headers: { 'payment-signature': payment } }).then(
        async (response) => {
          await response.text();
          return { kind: 'answer', status: response.status };
        },
        (error: unknown) => ({ kind: isRefused(error) ? 'refused' : 'dropped' }),
      );
    };
    const bought = payers.map((payer, at) => buy(payer, names[at]!));
    await until('a probe for every buyer', () => dispatched >= BUYERS && host.requests.length >= BUYERS);
    const stopped = end(gateway);
    // New callers keep connecting until the server stops listening, and each gets a response. The system drops a
    // connection that it accepted in the same moment, unread, so the server counts as closed from the first caller
    // without a response.
    const ready: number[] = [];
    let atTheDoor: End;
    do {
      const health = await ask(`${base}/health/ready`);
      if (health.kind === 'answer') ready.push(health.status);
      atTheDoor = await ask(`${base}/api/v1/hosts/h0.example.com`);
    } while (atTheDoor.kind === 'answer');
    const afterwards = await ask(`${base}/api/v1/hosts/h0.example.com`);
    const ends = await Promise.all(bought);
    expect(await stopped).toBe(0);
    await kill(worker);

    expect(ends).toEqual(Array.from({ length: BUYERS }, () => ({ kind: 'answer', status: 200 })));
    expect(afterwards).toEqual({ kind: 'refused' });
    expect(ready.at(-1)).toBe(503);
    expect(await balanceOf(payTo)).toBe(BigInt(BUYERS) * 20_000n);
    const ledger = await runLedger(['check'], env);
    expect(ledger.said).toContain('no difference');
    expect(ledger.said).toContain(`${BUYERS} stored`);
    expect(ledger.code).toBe(0);
  });

  it('lets a worker finish its running probes', async () => {
    const { base, worker, gateway } = await startPair([host.as('h0.example.com')]);
    const asked = host.requests.length;
    const payer = await newPayer();
    const url = `${base}/api/v1/hosts/h0.example.com/refresh`;
    const answer = payer.fetch(url);
    await until('a probe that has begun', () => host.requests.length > asked);
    const stopped = end(worker);
    expect((await answer).status).toBe(200);
    await stopped;
    expect((await fetch(url)).status).toBe(503); // No probe can be made now, so no payment is requested.
    await kill(gateway);
  });
});

it('an unhandled rejection during a sale does not replace its answer', async () => {
  const host = await startTestHost({ '/llms.txt': says('# Shop\n') });
  const [overHttp, overMcp] = ['h0.example.com', 'h1.example.com'];
  const faults = { NODE_OPTIONS: `--require ${resolve('test/support/faults.cjs')}`, METRICS_PORT: '0' };
  const { payTo, base, worker, gateway } = await startPair([host.as(overHttp), host.as(overMcp)], faults);
  const sendOverHttp = async (url: string, payment: string) => {
    const answer = await fetch(url, { headers: { 'payment-signature': payment } });
    return [answer.status, ((await answer.json()) as { domain: string }).domain];
  };
  const sendOverMcp = async (_url: string, payment: string) => {
    const call = { meta: asMeta(payment), headers: NATIVE };
    const { status, body } = await callTool({ baseUrl: base }, 'refresh_host', { domain: overMcp }, call);
    return [status, body.result?.structuredContent['domain']];
  };
  for (const [at, send] of [sendOverHttp, sendOverMcp].entries()) {
    const domain = `h${at}.example.com`;
    const [payer, url] = [await newPayer(), `${base}/api/v1/hosts/${domain}/refresh`];
    const payment = await signPayment(payer, await fetch(url));
    for (let sent = 0; sent < 2; sent += 1) {
      expect(await send(url, payment)).toEqual([200, domain]);
      expect([await balanceOf(payTo), await payer.balance()]).toEqual([20_000n * BigInt(at + 1), 980_000n]);
    }
  }
  await Promise.all([kill(gateway), kill(worker), host.close()]);
});

/** One worker and one gateway in separate processes. */
async function startPair(connectTo: readonly string[], more: Readonly<Record<string, string>> = {}) {
  const payTo = privateKeyToAddress(generatePrivateKey());
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const env = {
    ...(await fleetEnv(backends()[0]!, { payTo, facilitatorUrl: stack().facilitatorUrl, connectTo })),
    PORT: String(port),
    PUBLIC_BASE_URL: base,
    LOG_LEVEL: 'silent',
  };
  const [worker, gateway] = await Promise.all([startApp('worker', env), startApp('gateway', { ...env, ...more })]);
  return {
    payTo,
    base,
    env,
    worker,
    gateway,
  };
}

async function ask(url: string): Promise<End> {
  try {
    const response = await fetch(url);
    await response.text();
    return { kind: 'answer', status: response.status };
  } catch (error) {
    return { kind: isRefused(error) ? 'refused' : 'dropped' };
  }
}

function isRefused(error: unknown): boolean {
  const cause = (error as { readonly cause?: { readonly code?: unknown } }).cause;
  return cause?.code === 'ECONNREFUSED';
}
