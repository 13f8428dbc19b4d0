import { newPayer } from '../../../test/support/payer';
import { Scrape } from '../../../test/support/prometheus';
import { startService, type Service } from '../../../test/support/service';
import { backends } from '../../../test/support/stack';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';
import { until } from '../../../test/support/until';
import { WorkerMetrics } from '../../worker/src/jobs/worker-metrics';

const PASSWORD = 'correct horse battery';
const basic = (password: string, user = 'operator') => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});
const LOGIN = basic(PASSWORD);

interface BoardJob {
  readonly id: string;
  readonly name: string;
  readonly data: { readonly runId?: string; readonly requestId?: string };
}

interface Board {
  readonly queues: readonly {
    readonly name: string;
    readonly readOnlyMode: boolean;
    readonly counts: Readonly<Record<string, number>>;
    readonly jobs: readonly BoardJob[];
  }[];
}

describe.each(backends())('the pages of the operator, with the queue on %s', (backend) => {
  let service: Service;
  let shop: TestHost;
  const start = async (env: Readonly<Record<string, string>>): Promise<Service> => {
    const connectTo = [shop.as('shop.example.com')];
    return startService({ backend, connectTo, env });
  };
  const get = (path: string, headers: Readonly<Record<string, string>> = LOGIN) =>
    fetch(`${service.baseUrl}${path}`, { headers });
  const scrape = async () => new Scrape(await (await get('/metrics')).text());
  const buy = async () => {
    const response = await (await newPayer()).fetch(`${service.baseUrl}/api/v1/hosts/shop.example.com/refresh`);
    expect(response.status).toBe(200);
  };
  const board = async (query = '') => (await (await get(`/operator/queues/api/queues${query}`)).json()) as Board;

  beforeAll(async () => {
    shop = await startTestHost({ '/llms.txt': says('# Shop\n\n- [a](https://shop.example.com/a)\n') });
    service = await start({ OPERATOR_PASSWORD: PASSWORD });
    await service.admitted();
  });
  afterAll(async () => {
    await service.stop();
    await shop.close();
  });

  it('show the operator the board with every queue', async () => {
    const page = await get('/operator/queues');
    expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
    expect(page.headers.get('request-id')).toMatch(/^[0-9a-f-]{36}-\d+$/);
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    const markup = await page.text();
    expect(markup).toContain('<link href="static/');
    expect(markup).not.toMatch(/(?:href|src)="(?:https?:)?\/\//);
    expect((await board()).queues.map(({ name }) => name).sort()).toEqual(['claims', 'live', 'presence', 'schedule']);
  });

  it('count a bought refresh on the board and in the metrics of both processes', async () => {
    const [before, seen] = [await scrape(), await board()];
    await buy();
    const after = await scrape();
    const grown = (name: string, labels: Readonly<Record<string, string>>) =>
      (after.sum(name, labels) ?? 0) - (before.sum(name, labels) ?? 0);
    for (const state of ['received', 'verified', 'working', 'answer_stored', 'settling', 'settled']) {
      expect([state, grown('hostprobe_payment_state_total', { state })]).toEqual([state, 1]);
    }
    expect(grown('hostprobe_revenue_usd_total', { sku: 'host_refresh' })).toBeCloseTo(0.02, 9);
    const route = '/api/v1/hosts/:domain/refresh';
    expect(grown('hostprobe_http_requests_total', { route, status: '200' })).toBe(1);
    expect(grown('hostprobe_http_requests_total', { route, status: '402' })).toBe(1);
    expect(grown('hostprobe_errors_total', { code: 'payment_required' })).toBe(1);
    expect(after.sum('hostprobe_queue_oldest_wait_seconds', { queue: 'live' })).toBe(0);
    expect(after.sum('hostprobe_worker_slots')).toBe(20);
    expect(after.sum('hostprobe_payments_open', { state: 'settle_unknown' })).toBe(0);
    expect(after.sum('hostprobe_facilitator_up')).toBe(1);
    expect(after.sum('nodejs_eventloop_lag_seconds')).toBeGreaterThanOrEqual(0);

    const live = async () =>
      (await board('?activeQueue=live&status=completed')).queues.find(({ name }) => name === 'live')!;
    const known = seen.queues.find(({ name }) => name === 'live')!.counts['completed']!;
    await until('a probe that the board counts', async () => (await live()).counts['completed'] !== known);
    const [job] = (await live()).jobs;
    expect(job!.name).toBe('host shop.example.com');
    expect(job!.data.runId).toMatch(/^[0-9a-f-]{36}$/);
    expect(job!.data.requestId).toMatch(/^[0-9a-f-]{36}-\d+$/);

    const [worker] = service.workers;
    const probes = new Scrape(await worker!.get(WorkerMetrics).registry.metrics());
    expect(probes.sum('hostprobe_probes_total', { kind: 'host', outcome: 'done' })).toBeGreaterThanOrEqual(1);
    expect(
      probes.sum('hostprobe_probe_outcome_total', { detector: 'llms', outcome: 'present' }),
    ).toBeGreaterThanOrEqual(1);
    expect(probes.sum('hostprobe_exchanges_total', { outcome: 'answer' })).toBeGreaterThan(10);
    for (const phase of ['dns', 'connect', 'tls', 'headers', 'body']) {
      expect([phase, probes.sum('hostprobe_probe_phase_seconds_count', { phase })]).toEqual([
        phase,
        expect.any(Number),
      ]);
    }
    expect(probes.sum('hostprobe_probes_running')).toBe(0);
  });

  it('count preflights, which every path answers', async () => {
    const before = await scrape();
    const preflight = await fetch(`${service.baseUrl}/api/v1/hosts/shop.example.com/refresh`, {
      method: 'OPTIONS',
      headers: { origin: 'https://page.example.com', 'access-control-request-method': 'GET' },
    });
    expect(preflight.status).toBe(204);
    expect(Object.fromEntries(preflight.headers)).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
      'access-control-allow-headers': expect.stringContaining('PAYMENT-SIGNATURE'),
      'access-control-expose-headers': expect.stringContaining('PAYMENT-RESPONSE'),
    });
    const answered = { method: 'OPTIONS', status: '204' };
    const counted = (metrics: Scrape) => metrics.sum('hostprobe_http_requests_total', answered) ?? 0;
    expect(counted(await scrape()) - counted(before)).toBe(1);
  });

  it('are read-only, unless actions are enabled', async () => {
    expect((await board()).queues.every(({ readOnlyMode }) => readOnlyMode)).toBe(true);
    const pause = await fetch(`${service.baseUrl}/operator/queues/api/queues/live/pause`, {
      method: 'PUT',
      headers: LOGIN,
    });
    expect(pause.status).toBe(405);
  });

  it('refuse a wrong password, and after ten tries also the right one', async () => {
    for (const path of ['/operator/queues', '/operator/queues/api/queues', '/metrics']) {
      const refused = await get(path, {});
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
        401,
        expect.stringMatching(/^Basic /),
      ]);
    }
    expect((await get('/metrics', basic(PASSWORD, 'root'))).status).toBe(401);
    expect((await get('/metrics', { authorization: 'Basic %%%' })).status).toBe(401);
    for (let tries = 2; tries < 10; tries += 1) expect((await get('/metrics', basic('wrong'))).status).toBe(401);
    const shutOut = await get('/metrics');
    expect([shutOut.status, shutOut.headers.get('retry-after')]).toEqual([429, '900']);
    const requestId = shutOut.headers.get('request-id');
    expect(await shutOut.json()).toMatchObject({ code: 'too_many_logins', requestId });
  });
});

describe('the pages of the operator', () => {
  it('do not exist without a password', async () => {
    const service = await startService({ backend: backends()[0]!, worker: false });
    for (const path of ['/operator/queues', '/operator/queues/api/queues', '/metrics']) {
      expect((await fetch(`${service.baseUrl}${path}`, { headers: LOGIN })).status).toBe(404);
    }
    await service.stop();
  });

  it('can change a queue if actions are enabled, but not for the page of another site', async () => {
    const env = { OPERATOR_PASSWORD: PASSWORD, OPERATOR_ACTIONS: 'on' };
    const service = await startService({ backend: backends()[0]!, worker: false, env });
    const pause = async (said: Readonly<Record<string, string>>): Promise<number> => {
      const url = `${service.baseUrl}/operator/queues/api/queues/presence/pause`;
      return (await fetch(url, { method: 'PUT', headers: { ...LOGIN, ...said } })).status;
    };
    const { baseUrl: origin } = service;
    for (const site of ['cross-site', 'same-site', 'none']) {
      expect(await pause({ 'sec-fetch-site': site, origin })).toBe(403);
    }
    // On plain http a browser sends only this.
    for (const other of ['null', 'https://evil.example.com', 'not an address']) {
      expect(await pause({ origin: other })).toBe(403);
    }
    expect(await Promise.all([{ 'sec-fetch-site': 'same-origin' }, { origin }, {}].map(pause))).toEqual([
      200, 200, 200,
    ]);
    await service.stop();
  });
});
