import { newPayer, signPayment, type Payer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { backends, freshRedis } from '../../../test/support/stack';
import { startTcpFront, type TcpFront } from '../../../test/support/tcp-front';
import { says, startTestHost, testCaFile, type TestHost } from '../../../test/support/test-host';
import { until } from '../../../test/support/until';

(backends().includes('redis') ? describe : describe.skip)('while Redis is out of reach', () => {
  let service: Service;
  let host: TestHost;
  let line: TcpFront;
  let payer: Payer;

  beforeAll(async () => {
    const redis = new URL((await freshRedis())!);
    line = await startTcpFront(Number(redis.port));
    redis.port = String(line.port);
    host = await startTestHost({ '/llms.txt': says('# Shop\n') });
    service = await startService({
      backend: 'redis',
      connectTo: [host.as('shop.example.com')],
      caFile: await testCaFile(),
      env: { REDIS_URL: redis.href, LOG_LEVEL: 'silent' },
    });
    payer = await newPayer();
  });
  afterAll(async () => {
    await Promise.all([line.close(), host.close()]);
  });
  const health = async (): Promise<unknown> => (await fetch(`${service.baseUrl}/health/ready`)).json();
  const url = (path: string) => `${service.baseUrl}/api/v1/hosts/${path}`;

  it.each(['cut', 'silent'] as const)(
    'with the line %s, reports are read on and a payment is kept for later',
    async (state) => {
      const payment = await signPayment(payer, await fetch(url('shop.example.com/refresh')));
      const before = await payer.balance();
      line.state = state;
      const free = [url('shop.example.com'), url('never-seen.example.com')];
      for (const path of free) expect((await fetch(path, { headers: { prefer: 'wait=2' } })).status).toBe(200);
      const paid = await fetch(url('shop.example.com/refresh'), { headers: { 'payment-signature': payment } });
      expect(paid.status).toBe(503);
      expect(await paid.json()).toMatchObject({ code: 'queue_away', retryAfterSec: 5 });
      expect(await health()).toMatchObject({ status: 'degraded', parts: { database: 'up', queue: 'down' } });
      expect(await payer.balance()).toBe(before);

      line.state = 'open';
      const again = async () => fetch(url('shop.example.com/refresh'), { headers: { 'payment-signature': payment } });
      await until('the queue is back', async () => (await again()).status === 200);
      expect(await payer.balance()).toBe(before - 20_000n);
    },
  );

  it('no price is named for what cannot be done', async () => {
    line.state = 'cut';
    const asked = async () => fetch(url('shop.example.com/refresh'));
    await until('the gateway knows', async () => (await asked()).status !== 402);
    expect(await (await asked()).json()).toMatchObject({ code: 'queue_away' });
  });

  it('gateway and worker can end', async () => {
    line.state = 'cut';
    await expect(service.stop()).resolves.toBeUndefined();
  });
});
