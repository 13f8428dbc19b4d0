import { newPayer, signPayment, type Payer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { backends, freshRedis } from '../../../test/support/stack';
import { startTcpFront, type TcpFront } from '../../../test/support/tcp-front';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';
import { Scrape } from '../../../test/support/prometheus';
import { until } from '../../../test/support/until';
import { WorkerMetrics } from '../../worker/src/jobs/worker-metrics';

(backends().includes('redis') ? describe : describe.skip)('while Redis is unreachable', () => {
  let service: Service;
  let host: TestHost;
  let line: TcpFront;
  let payer: Payer;
  const logged: string[] = [];

  beforeAll(async () => {
    const redis = new URL((await freshRedis())!);
    line = await startTcpFront(Number(redis.port));
    redis.port = String(line.port);
    host = await startTestHost({ '/llms.txt': says('# Shop\n') });
    service = await startService({
      backend: 'redis',
      connectTo: [host.as('shop.example.com'), host.as('pressed.example.com')],
      logTo: { write: (text) => logged.push(text) },
      env: { REDIS_URL: redis.href, LOG_LEVEL: 'warn' },
    });
    payer = await newPayer();
  });
  afterAll(async () => {
    await Promise.all([line.close(), host.close()]);
  });
  const health = async (): Promise<unknown> => (await fetch(`${service.baseUrl}/health/ready`)).json();
  const url = (path: string) => `${service.baseUrl}/api/v1/hosts/${path}`;

  it.each(['cut', 'silent'] as const)(
    'with the connection %s, reports can still be read and a payment can be used later',
    async (state) => {
      const payment = await signPayment(payer, await fetch(url('shop.example.com/refresh')));
      const before = await payer.balance();
      line.state = state;
      const free = [url('shop.example.com'), url('never-seen.example.com')];
      for (const path of free) expect((await fetch(path, { headers: { prefer: 'wait=2' } })).status).toBe(200);
      const paid = await fetch(url('shop.example.com/refresh'), { headers: { 'payment-signature': payment } });
      expect(paid.status).toBe(503);
      expect(await paid.json()).toMatchObject({ code: 'queue_unavailable', retryAfterSec: 5 });
      expect(await health()).toMatchObject({ status: 'degraded', parts: { database: 'up', queue: 'down' } });
      expect(await payer.balance()).toBe(before);

      line.state = 'open';
      const again = async () => fetch(url('shop.example.com/refresh'), { headers: { 'payment-signature': payment } });
      await until('the queue is back', async () => (await again()).status === 200);
      expect(await payer.balance()).toBe(before - 20_000n);
    },
  );

  it('the button of a page shows an error page, and works when Redis is back', async () => {
    const press = () =>
      fetch(`${service.baseUrl}/hosts/pressed.example.com/probe`, {
        method: 'POST',
        headers: { accept: 'text/html' },
        redirect: 'manual',
      });
    line.state = 'cut';
    const away = await press();
    expect([away.status, away.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8']);
    expect(await away.text()).toContain('Live probes are unavailable right now');
    line.state = 'open';
    await until('a probe that is made', async () => {
      const { status } = await press();
      const report = await fetch(url('pressed.example.com'));
      return status === 303 && ((await report.json()) as { reachable?: boolean }).reachable === true;
    });
  });

  it('the log says why', () => {
    const said = logged.map((text) => JSON.parse(text) as object);
    expect(said).toContainEqual(expect.objectContaining({ msg: 'the queue does not accept probes', part: 'queue' }));
    expect(said).toContainEqual(expect.objectContaining({ msg: 'a health check failed', part: 'health' }));
  });

  it('no price is shown for unavailable products', async () => {
    line.state = 'cut';
    const asked = async () => fetch(url('shop.example.com/refresh'));
    await until('the gateway knows', async () => (await asked()).status !== 402);
    expect(await (await asked()).json()).toMatchObject({ code: 'queue_unavailable' });
  });

  it('gateway and worker count it in their metrics', async () => {
    line.state = 'cut';
    for (const { registry } of [service.services.metrics, service.workers[0]!.get(WorkerMetrics)]) {
      const faults = async () =>
        new Scrape(await registry.metrics()).sum('hostprobe_failures_total', { part: 'queue' });
      await until('a fault that is counted', async () => ((await faults()) ?? 0) > 0);
    }
  });

  it('gateway and worker can stop', async () => {
    line.state = 'cut';
    await expect(service.stop()).resolves.toBeUndefined();
  });
});
