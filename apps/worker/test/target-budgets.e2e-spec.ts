import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { openLimitStore, TargetBudgets } from '@app/limits';
import { Database } from '@app/storage';
import { Client } from 'pg';
import { startBusyHost } from '../../../test/support/busy-host';
import { newPayer, signPayment } from '../../../test/support/payer';
import { startService } from '../../../test/support/service';
import { backends } from '../../../test/support/stack';
import { says, type Route } from '../../../test/support/test-host';
import { until } from '../../../test/support/until';

const NOT_FOUND = says('not found', { 'content-type': 'text/plain' }, 404);
const AT_ONCE = () => Promise.resolve();

describe.each(backends().slice(0, 1))('the budget of a target, with the queue on %s', (backend) => {
  const stops: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  });

  /** A service with two workers, and a host with a name of its own, so that no other test uses its budget. */
  async function start(
    env: Readonly<Record<string, string>>,
    ready: () => Promise<unknown>,
    answer: Route = NOT_FOUND,
  ) {
    const host = await startBusyHost(ready, answer);
    stops.push(() => host.close());
    const name = `h${randomBytes(4).toString('hex')}.example.com`;
    const service = await startService({ backend, connectTo: [host.as(name)], env });
    stops.push(() => service.stop());
    await service.startWorker();
    /** Spends part of the host's budgets, as another caller would. */
    const spend = async (
      work: (budgets: TargetBudgets, target: Readonly<Record<'host' | 'site', string>>) => Promise<void>,
    ): Promise<void> => {
      const database = new Database(service.config.database.url);
      const store = openLimitStore({ redisUrl: service.config.redis?.url ?? null, pool: database.pool });
      await work(new TargetBudgets(store, service.config.targets), { host: name, site: 'example.com' });
      store.close();
      await database.close();
    };
    return { host, service, name, spend, url: `${service.baseUrl}/api/v1/hosts/${name}` };
  }

  it('is used once by twenty callers and two workers at the same time', async () => {
    let open = (): void => undefined;
    const everybodyWaits = new Promise<void>((resolve) => (open = resolve));
    const { host, url, service } = await start({ TARGET_PROBES_PER_15_MIN: '2' }, () => everybodyWaits);
    const payments: string[] = [];
    while (payments.length < 20) payments.push(await signPayment(await newPayer(), await fetch(`${url}/refresh`)));
    const asked = payments.map((payment) => fetch(`${url}/refresh`, { headers: { 'payment-signature': payment } }));
    const database = new Client({ connectionString: service.config.database.url });
    await database.connect();
    stops.push(() => database.end());
    const working = `SELECT count(*)::int AS n FROM payment_attempt WHERE state = 'working'`;
    await until('twenty attempts at work', async () => {
      const { rows } = await database.query<{ n: number }>(working);
      return rows[0]?.n === 20;
    });
    open();
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(payments.map(() => 200));
    expect((await database.query('SELECT status FROM probe_run')).rows).toEqual([{ status: 'done' }]);
    expect(host.requests.filter((line) => line === 'GET /llms.txt')).toHaveLength(1);
    expect(new Set(host.requests).size).toBe(host.requests.length);
    expect(host.peak()).toBeLessThanOrEqual(4);
  });

  it('never exceeds the concurrency limit, even with several probes', async () => {
    const { host, url } = await start({ TARGET_CONCURRENCY: '2' }, () => delay(40));
    const paths = ['refresh', 'protocols/llms/refresh', 'protocols/ucp/refresh', 'protocols/tap/refresh'];
    const payers = [await newPayer(), await newPayer(), await newPayer(), await newPayer()];
    const probes = payers.map((payer, index) => payer.fetch(`${url}/${paths[index] ?? ''}`));
    expect((await Promise.all(probes)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(host.peak()).toBe(2);
  });

  it('refuses further probes before any payment is requested', async () => {
    const { host, url } = await start({ TARGET_PROBES_PER_15_MIN: '2' }, AT_ONCE);
    const payer = await newPayer();
    expect((await payer.fetch(`${url}/refresh`)).status).toBe(200);
    expect((await payer.fetch(`${url}/protocols/llms/refresh`)).status).toBe(200);
    const before = host.requests.length;
    await delay(600); // Admission data may be half a second old.
    const refused = await fetch(`${url}/refresh`);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('payment-required')).toBeNull();
    const wait = Number(refused.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(800);
    expect(wait).toBeLessThanOrEqual(900);
    expect(await refused.json()).toMatchObject({ code: 'target_busy', retryAfterSec: wait });
    expect(host.requests).toHaveLength(before);
    expect((await fetch(url)).status).toBe(200);
  });

  it('lets a buyer join a running probe even if it is used up', async () => {
    let open = (): void => undefined;
    const joined = new Promise<void>((resolve) => (open = resolve));
    const { host, url, spend } = await start({ TARGET_PROBES_PER_15_MIN: '2' }, () => joined);
    await spend((budgets, target) => budgets.begin(target, 'paid'));
    const first = (await newPayer()).fetch(`${url}/refresh`);
    await until('the first request of the probe', () => host.requests.length > 0);
    await delay(600);
    expect((await fetch(`${url}/protocols/llms/refresh`)).status).toBe(429);
    const payment = await signPayment(await newPayer(), await fetch(`${url}/refresh`));
    const second = fetch(`${url}/refresh`, { headers: { 'payment-signature': payment } });
    await delay(300);
    open();
    expect((await first).status).toBe(200);
    expect((await second).status).toBe(200);
    expect(host.requests.filter((line) => line === 'GET /llms.txt')).toHaveLength(1);
  });

  it('ends a probe that needs more requests than are left, uncharged, without further requests', async () => {
    let open = (): void => undefined;
    const spent = new Promise<void>((resolve) => (open = resolve));
    const { host, url, spend } = await start({ TARGET_REQUESTS_PER_MIN: '80' }, () => spent);
    const payer = await newPayer();
    const payment = await signPayment(payer, await fetch(`${url}/refresh`));
    const answer = fetch(`${url}/refresh`, { headers: { 'payment-signature': payment } });
    await until('the first request of the probe', () => host.requests.length > 0);
    await spend(async (budgets, target) => {
      const budget = budgets.ofProbe('paid');
      const all = Array.from({ length: 80 }, () => budget.spend(target, []));
      expect((await Promise.allSettled(all)).some(({ status }) => status === 'rejected')).toBe(true);
    });
    open();
    const ended = await answer;
    expect(ended.status).toBe(429);
    expect(await ended.json()).toMatchObject({ code: 'target_busy' });
    expect(host.requests.length).toBeLessThanOrEqual(8); // The maximum that a worker sends at a time.
    expect(await payer.balance()).toBe(1_000_000n);
    expect(await (await fetch(url)).json()).toMatchObject({ protocols: [] });
  });

  it('pauses for the time in Retry-After, but at most a quarter of an hour', async () => {
    const { url } = await start({}, AT_ONCE, says('slow down', { 'retry-after': '31536000' }, 429));
    const payer = await newPayer();
    const report = await payer.fetch(`${url}/refresh`);
    expect(report.status).toBe(200);
    expect(JSON.stringify(await report.json())).toContain('"statusCode":429');
    await delay(600);
    const resting = await fetch(`${url}/refresh`);
    expect(resting.status).toBe(429);
    const wait = Number(resting.headers.get('retry-after'));
    expect(wait).toBeLessThanOrEqual(900);
    expect(wait).toBeGreaterThan(600); // The time counts down while the test runs.
    expect(await payer.balance()).toBe(980_000n);
  });
});
