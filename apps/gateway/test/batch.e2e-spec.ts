import { randomUUID } from 'node:crypto';
import { Database, HeartbeatRepository, RunRepository } from '@app/storage';
import type { BatchSuccess } from '@app/reports';
import { balanceOf, newPayer, signPayment } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';
import { until } from '../../../test/support/until';
import { paywalled } from '../../../test/support/challenges';

interface Batch {
  readonly mode: string;
  readonly priceUsd: number;
  readonly results: readonly BatchSuccess[];
}

const HTML = { 'content-type': 'text/html' };
const NAMES = ['one', 'two', 'three'].map((name) => `${name}.example.com`);

describe('a batch of live probes', () => {
  let service: Service;
  let shop: TestHost;
  const post = (body: unknown, fetching: typeof fetch = fetch, headers: Readonly<Record<string, string>> = {}) =>
    fetching(`${service.baseUrl}/api/v1/hosts/refresh`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });

  beforeAll(async () => {
    const { headers = {}, body = '' } = paywalled();
    shop = await startTestHost({
      '/': says('<!doctype html><title>Shop</title>', HTML),
      '/llms.txt': says('# Shop\n\n- [a](https://one.example.com/a)\n', { 'content-type': 'text/plain' }),
      '/.well-known/x402': says(JSON.stringify({ x402Version: 2, resources: ['/api/report'] })),
      '/api/report': says(body, headers as Record<string, string>, 402),
    });
    service = await startService({
      connectTo: NAMES.map((name) => shop.as(name)),
      env: { OPT_OUT: 'shy.example.com', TARGET_PROBES_PER_15_MIN: '6' },
    });
    await service.admitted();
  });
  afterAll(async () => {
    await service.stop();
    await shop.close();
  });

  it('costs 0.01 plus 0.002 per host, and answers in the order of the request', async () => {
    const payer = await newPayer();
    const domains = ['two.example.com', 'one.example.com', 'gone.example.com'];
    const unpaid = await post({ domains, mode: 'full' });
    expect(unpaid.status).toBe(402);
    expect(await unpaid.json()).toMatchObject({
      sku: 'batch_refresh',
      priceUsd: 0.016,
      accepts: [{ amount: '16000' }],
      resource: { url: `${service.baseUrl}/api/v1/hosts/refresh` },
    });
    const before = await balanceOf(service.payTo);
    const response = await post({ domains, mode: 'full' }, payer.fetch);
    expect(response.status).toBe(200);
    const { mode, priceUsd, results } = (await response.json()) as Batch;
    expect({ mode, priceUsd }).toEqual({ mode: 'full', priceUsd: 0.016 });
    expect(results).toMatchObject([
      {
        domain: 'two.example.com',
        ok: true,
        reachable: true,
        payable: true,
        report: `${service.baseUrl}/api/v1/hosts/two.example.com`,
      },
      { domain: 'one.example.com', ok: true, reachable: true },
      { domain: 'gone.example.com', ok: true, reachable: false, payable: false },
    ]);
    expect(results[0]!.present).toEqual(expect.arrayContaining(['x402', 'llms']));
    expect(await payer.balance()).toBe(984_000n);
    expect(await balanceOf(service.payTo)).toBe(before + 16_000n);
    const free = await fetch(results[0]!.report);
    expect(await free.json()).toMatchObject({ domain: 'two.example.com', cache: { callabilityStale: false } });
  });

  it('merges names of one host before calculating the price', async () => {
    const domains = ['three.example.com', 'https://WWW.Three.example.com/path', 'three.example.com.'];
    expect(await (await post({ domains, mode: 'full' })).json()).toMatchObject({ priceUsd: 0.012 });
    const payer = await newPayer();
    const response = await post({ domains, mode: 'full' }, payer.fetch);
    expect(((await response.json()) as Batch).results).toMatchObject([{ domain: 'three.example.com', ok: true }]);
    expect(await payer.balance()).toBe(988_000n);
  });

  it('refuses broken JSON, another content type and a huge body with the usual error format', async () => {
    const url = `${service.baseUrl}/api/v1/hosts/refresh`;
    const send = (type: string, body: string): Promise<Response> =>
      fetch(url, { method: 'POST', headers: { 'content-type': type }, body });
    const answers = [
      await send('application/json', '{"domains":'),
      await send('text/plain', 'a'),
      await send('application/x-www-form-urlencoded', 'mode=full'),
      await send('application/json', JSON.stringify({ domains: ['a'.repeat(70_000)] })),
    ];
    expect(answers.map(({ status }) => status)).toEqual([400, 415, 415, 413]);
    for (const answer of answers) expect(await answer.json()).toMatchObject({ error: expect.any(String) });
  });

  it('names a host that must not be probed before it requests a payment', async () => {
    const response = await post({ domains: ['one.example.com', 'a.shy.example.com'], mode: 'full' });
    expect(response.status).toBe(403);
    expect(response.headers.get('payment-required')).toBeNull();
    expect(await response.json()).toMatchObject({ code: 'opted_out', item: 'a.shy.example.com' });
  });

  it('does not accept a payment for another batch of the same price', async () => {
    const payer = await newPayer();
    const first = { domains: ['one.example.com'], mode: 'full' };
    const payment = await signPayment(payer, await post(first));
    expect((await post(first, fetch, { 'payment-signature': payment })).status).toBe(200);
    const again = await post({ domains: ['WWW.one.example.com'], mode: 'full' }, fetch, {
      'payment-signature': payment,
    });
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const other = await post({ domains: ['two.example.com'], mode: 'full' }, fetch, { 'payment-signature': payment });
    expect(other.status).toBe(409);
    expect(await payer.balance()).toBe(988_000n);
  });

  it('refuses a host at its probe limit with 429 and Retry-After', async () => {
    const payer = await newPayer();
    const body = { domains: ['one.example.com', 'often.example.com'], mode: 'full' };
    for (let probes = 0; probes < 6; probes += 1) {
      await payer.fetch(`${service.baseUrl}/api/v1/hosts/often.example.com/refresh`);
    }
    let response = await post(body);
    await until('admission, which may know the counters as they were a moment ago', async () => {
      response = await post(body);
      return response.status !== 402;
    });
    expect(response.status).toBe(429);
    expect(response.headers.get('payment-required')).toBeNull();
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await response.json()).toMatchObject({ code: 'target_busy', item: 'often.example.com' });
  });
});

describe('a batch that fails on our side', () => {
  const post = (service: Service, domains: readonly string[], payment?: string) =>
    fetch(`${service.baseUrl}/api/v1/hosts/refresh`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(payment === undefined ? {} : { 'payment-signature': payment }),
      },
      body: JSON.stringify({ domains, mode: 'full' }),
    });

  it('is answered 503 and not charged if no probe could be made', async () => {
    const service = await startService({ worker: false, env: { REFRESH_DEADLINE_SEC: '5' } });
    const database = new Database(service.config.database.url, service.config.database);
    await new HeartbeatRepository(database).beat(randomUUID(), 5); // The heartbeat of a worker that takes no jobs.
    const payer = await newPayer();
    const domains = ['a.example.com', 'b.example.com'];
    const response = await post(service, domains, await signPayment(payer, await post(service, domains)));
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ code: 'batch_failed' });
    expect(response.headers.get('payment-required')).toBeNull();
    expect(await payer.balance()).toBe(1_000_000n);
    await database.close();
    await service.stop();
  });

  it('contains the error of one host with the answers of the others', async () => {
    const [quick, stuck] = [await startTestHost({}), await startTestHost({ '*': () => undefined })];
    const service = await startService({
      connectTo: [quick.as('quick.example.com'), stuck.as('stuck.example.com')],
    });
    await service.admitted();
    const database = new Database(service.config.database.url, service.config.database);
    const payer = await newPayer();
    const domains = ['stuck.example.com', 'quick.example.com'];
    const paying = post(service, domains, await signPayment(payer, await post(service, domains)));
    await until('a request to the host that never answers', () => stuck.connections() > 0);
    const { rows } = await database.pool.query<{ id: string }>(`SELECT id FROM probe_run WHERE domain = $1`, [
      domains[0],
    ]);
    await new RunRepository(database).fail(rows[0]!.id, 'worker_failed');
    const response = await paying;
    expect(response.status).toBe(200);
    expect(((await response.json()) as Batch).results).toEqual([
      { domain: 'stuck.example.com', ok: false, code: 'probe_failed', error: expect.stringContaining('our side') },
      expect.objectContaining({ domain: 'quick.example.com', ok: true, reachable: true }),
    ]);
    expect(await payer.balance()).toBe(986_000n);
    await database.close();
    await Promise.all([quick.close(), stuck.close()]); // Closed before the worker, which waits for its probes.
    await service.stop();
  });
});
