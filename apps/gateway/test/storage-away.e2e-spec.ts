import { Database, isStorageAway, Notices, OptOutRepository } from '@app/storage';
import { Scrape } from '../../../test/support/prometheus';
import { startService, type Service } from '../../../test/support/service';
import { backends, freshDatabase, stack } from '../../../test/support/stack';
import { startTcpFront, type TcpFront } from '../../../test/support/tcp-front';
import { until } from '../../../test/support/until';
import { GatewayMetrics } from '../src/platform/metrics/gateway-metrics';

describe('while Postgres is out of reach', () => {
  let service: Service;
  let line: TcpFront;

  beforeAll(async () => {
    const database = new URL(await freshDatabase());
    line = await startTcpFront(Number(database.port));
    database.port = String(line.port);
    database.searchParams.set('connect_timeout', '5');
    service = await startService({
      backend: backends()[0]!,
      env: { DATABASE_URL: database.href },
    });
  });
  afterEach(async () => {
    line.state = 'open';
    await until('the database is back', async () => (await health()) === 200);
    await service.admitted();
  });
  afterAll(async () => {
    await service.stop();
    await line.close();
  });

  const url = (path: string) => `${service.baseUrl}/api/v1/hosts/${path}`;
  const health = async () => (await fetch(`${service.baseUrl}/health/ready`)).status;

  async function saysAway(response: Response): Promise<void> {
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('5');
    expect(await response.json()).toEqual({
      error: 'the storage of this service cannot be reached; send the same request again in a moment',
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

  it('the lost connection for notices is counted', async () => {
    const { registry } = service.gateway.get(GatewayMetrics);
    const faults = async () =>
      new Scrape(await registry.metrics()).sum('hostprobe_failures_total', { part: 'notices' });
    expect(await faults()).toBeGreaterThan(0);
  });
});

describe('an error of Prisma', () => {
  const opened: Database[] = [];
  const open = (url: URL): OptOutRepository => {
    const database = new Database(url.href, { maxConnections: 1 });
    opened.push(database);
    return new OptOutRepository(database);
  };
  afterAll(() => Promise.all(opened.map((database) => database.close())));
  const errorOf = (attempt: Promise<unknown>): Promise<unknown> =>
    attempt.then(
      () => undefined,
      (error: unknown) => error,
    );

  it('says that storage is away when nothing listens there', async () => {
    const url = new URL(stack().databaseUrl);
    url.port = '1';
    expect(isStorageAway(await errorOf(open(url).remove('shop.example.com')))).toBe(true);
  });

  it('says that storage is away when its server only reads', async () => {
    const url = new URL(await freshDatabase());
    url.searchParams.set('options', '-c default_transaction_read_only=on');
    expect(isStorageAway(await errorOf(open(url).add('shop.example.com')))).toBe(true);
  });

  it('says nothing of the kind when a table is missing', async () => {
    expect(isStorageAway(await errorOf(open(new URL(stack().databaseUrl)).remove('shop.example.com')))).toBe(false);
  });
});

describe('a connection for notices that breaks', () => {
  it('is told of once and listens again', async () => {
    const database = new Database(await freshDatabase());
    const lost: unknown[] = [];
    const heard: string[] = [];
    const notices = new Notices(database.url, (error) => lost.push(error));
    notices.on('host_changed', (payload) => heard.push(payload));
    await notices.start();
    await database.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()`,
    );
    await until('a notice that is heard again', async () => {
      await database.pool.query(`SELECT pg_notify('host_changed', 'shop.example.com')`);
      return heard.length > 0;
    });
    expect(lost).toEqual([expect.objectContaining({ code: '57P01' })]);
    await notices.close();
    await database.close();
  });
});
