import { newPayer, signPayment, type Payer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { backends, freshDatabase } from '../../../test/support/stack';
import { startTcpFront, type TcpFront } from '../../../test/support/tcp-front';
import { says, startTestHost, testCaFile, type TestHost } from '../../../test/support/test-host';
import { until } from '../../../test/support/until';

describe('while Postgres is out of reach', () => {
  let service: Service;
  let host: TestHost;
  let line: TcpFront;
  let payer: Payer;

  beforeAll(async () => {
    const database = new URL(await freshDatabase());
    line = await startTcpFront(Number(database.port));
    database.port = String(line.port);
    database.searchParams.set('connect_timeout', '5');
    host = await startTestHost({ '/llms.txt': says('# Shop\n') });
    service = await startService({
      backend: backends()[0]!,
      connectTo: [host.as('shop.example.com')],
      caFile: await testCaFile(),
      env: { DATABASE_URL: database.href },
    });
    payer = await newPayer();
  });
  afterEach(async () => {
    line.state = 'open';
    await until('the database is back', async () => (await health()) === 200);
    await service.admitted();
  });
  afterAll(async () => {
    await service.stop();
    await Promise.all([line.close(), host.close()]);
  });

  const url = (path: string) => `${service.baseUrl}/api/v1/hosts/${path}`;
  const health = async () => (await fetch(`${service.baseUrl}/health/ready`)).status;

  async function saysAway(response: Response): Promise<void> {
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('5');
    expect(await response.json()).toEqual({
      error: 'our storage is out of reach; send the very same request again in a moment',
      code: 'storage_away',
      retryAfterSec: 5,
      requestId: expect.any(String) as string,
    });
  }

  it.each(['cut', 'silent'] as const)(
    'with the line %s, a read says so and the service says it is not ready',
    async (state) => {
      line.state = state;
      await saysAway(await fetch(url('never-seen.example.com')));
      expect(await health()).toBe(503);
    },
  );

  it('a page says so to people', async () => {
    line.state = 'cut';
    const page = await fetch(`${service.baseUrl}/hosts/never-seen.example.com`, { headers: { accept: 'text/html' } });
    expect(page.status).toBe(503);
    expect(await page.text()).toContain('<h1>Our storage is out of reach');
  });

  it('a payment is answered later, and charged once', async () => {
    const payment = {
      headers: { 'payment-signature': await signPayment(payer, await fetch(url('shop.example.com/refresh'))) },
    };
    line.state = 'cut';
    await saysAway(await fetch(url('shop.example.com/refresh'), payment));
    expect(await payer.balance()).toBe(1_000_000n);
    line.state = 'open';
    await service.admitted();
    expect((await fetch(url('shop.example.com/refresh'), payment)).status).toBe(200);
    expect((await fetch(url('shop.example.com/refresh'), payment)).headers.get('idempotent-replayed')).toBe('true');
    expect(await payer.balance()).toBe(980_000n);
  });

  it('a tool says so, too', async () => {
    line.state = 'cut';
    const answer = await fetch(`${service.baseUrl}/api/v1/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'lookup_host', arguments: { domain: 'never-seen.example.com' } },
      }),
    });
    expect(await answer.text()).toContain('storage_away');
  });
});
