import { setTimeout as sleep } from 'node:timers/promises';
import { Database } from '@app/storage';
import { newPayer, signPayment, type Payer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { backends, freshDatabase } from '../../../test/support/stack';
import { startTcpFront, type TcpFront } from '../../../test/support/tcp-front';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';
import { until } from '../../../test/support/until';

/** Longer than anything waits for storage. */
const STANDS_MS = 20_000;
/** A wait for a connection and one statement. */
const SECONDS_MS = 12_000;

function through(line: TcpFront, database: URL): string {
  database.port = String(line.port);
  database.searchParams.set('connect_timeout', '2');
  return database.href;
}

describe.each(backends().slice(0, 1))('while Postgres stands still, with the queue on %s', (backend) => {
  let service: Service;
  let host: TestHost;
  let line: TcpFront;
  let payer: Payer;
  let standing: Promise<void> = Promise.resolve();
  let signed: string;

  const ask = async (path: string, init: RequestInit = {}) => {
    const since = performance.now();
    const response = await fetch(`${service.baseUrl}${path}`, { ...init, signal: AbortSignal.timeout(STANDS_MS) });
    const body = await response.text();
    return { status: response.status, headers: response.headers, body, ms: performance.now() - since };
  };
  const known = '/api/v1/hosts/shop.example.com';

  beforeAll(async () => {
    const database = new URL(await freshDatabase());
    line = await startTcpFront(Number(database.port));
    host = await startTestHost({ '/llms.txt': says('# Shop\n') });
    service = await startService({
      backend,
      connectTo: [host.as('shop.example.com')],
      env: { DATABASE_URL: through(line, database) },
    });
    payer = await newPayer();
    await service.admitted();
    signed = await signPayment(payer, await fetch(`${service.baseUrl}${known}/refresh`));
    await ask(known, { headers: { prefer: 'wait=10' } });
    for (const accept of ['application/json', 'text/markdown', 'text/html'])
      for (let times = 0; times < 2; times += 1) {
        await ask(accept === 'text/html' ? '/hosts/shop.example.com' : known, { headers: { accept } });
      }
    await sleep(5_100); // what is in memory is older than what is served while storage answers
    standing = line.standStill(STANDS_MS);
  });
  afterAll(async () => {
    await standing;
    await service.stop();
    await Promise.all([line.close(), host.close()]);
  });

  it('a report in memory is served at once, with its age and the flags of now', async () => {
    for (let times = 0; times < 3; times += 1) {
      const { status, headers, body, ms } = await ask(known);
      expect([status, ms < 3_000]).toEqual([200, true]);
      expect(Number(headers.get('age'))).toBeGreaterThanOrEqual(5);
      expect(JSON.parse(body)).toMatchObject({ domain: 'shop.example.com', cache: { presenceStale: false } });
    }
  });

  it('it says within a second that it is not ready', async () => {
    const { status, body, ms } = await ask('/health/ready');
    expect([status, ms < 1_000]).toEqual([503, true]);
    expect(JSON.parse(body)).toMatchObject({ status: 'down', parts: { database: 'down' } });
  });

  it('everything else is answered within seconds, and what it says is true', async () => {
    const paths = [
      '/api/v1/hosts/never-seen.example.com',
      '/api/v1/hosts/never-seen.example.com/changes',
      '/api/v1/hosts/other.example.com/refresh',
      '/api/v1/hosts/other.example.com/pay-preflight',
      '/api/v1/endpoints/health?url=https%3A%2F%2Fshop.example.com%2F',
      '/hosts/never-seen.example.com',
      '/',
      '/pricing',
    ];
    const answers = await Promise.all(
      [...paths, `${known}/refresh`].map(async (path) => {
        const paying = path.endsWith('shop.example.com/refresh');
        return { path, ...(await ask(path, paying ? { headers: { 'payment-signature': signed } } : {})) };
      }),
    );
    for (const { path, status, ms, body } of answers) {
      expect([path, ms < SECONDS_MS]).toEqual([path, true]);
      expect([path, [200, 402, 503]]).toEqual([path, expect.arrayContaining([status])]);
      if (status === 503 && body.startsWith('{')) {
        expect([path, JSON.parse(body)]).toEqual([
          path,
          expect.objectContaining({
            code: expect.stringMatching(/^(?:storage_away|no_worker|queue_away|probes_\w+)$/) as string,
          }),
        ]);
      }
    }
    expect(answers.at(-1)!.status).toBe(503);
    expect(await payer.balance()).toBe(1_000_000n);
  });

  it('once it goes on, all is as before, and the same payment buys', async () => {
    await standing;
    await until('readiness', async () => (await ask('/health/ready')).status === 200);
    await service.admitted();
    expect((await ask(known)).headers.get('age')).toBeNull();
    expect((await ask(`${known}/refresh`, { headers: { 'payment-signature': signed } })).status).toBe(200);
    expect(await payer.balance()).toBe(980_000n);
  });
});

describe('a session', () => {
  it('has the times of UTC, in whatever zone the server is: Prisma writes them without one', async () => {
    const database = new Database(`${await freshDatabase()}&options=-c%20lock_timeout%3D9s`);
    const addedAt = new Date();
    await database.prisma.optOut.create({ data: { domain: 'shop.example.com', addedAt } });
    const sql = `SELECT added_at, current_setting('lock_timeout') AS kept FROM opt_out`;
    expect((await database.pool.query(sql)).rows).toEqual([{ added_at: addedAt, kept: '9s' }]);
    await database.close();
  });
});
