import { setTimeout as sleep } from 'node:timers/promises';
import { Database } from '@app/storage';
import { templateOf } from '../src/api-description/parameters';
import { PAGES } from '../src/pages/registry';
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

/** What fills the path or the query of a read, by its name: of a host that is in memory, and of one that nobody knows. */
const FILLED: Readonly<Record<string, readonly string[]>> = {
  domain: ['shop.example.com', 'never-seen.example.com'],
  protocol: ['ucp'],
  id: ['00000000-0000-4000-8000-000000000000'],
  url: ['https://shop.example.com/'],
  query: ['shop'],
  index: ['0'],
  sha256: ['0'.repeat(64)],
  root: ['0'.repeat(64)],
  tx: [`0x${'0'.repeat(64)}`],
  amount: ['1'],
  address: [`0x${'1'.repeat(40)}`],
  payTo: [`0x${'1'.repeat(40)}`],
};

/** Every GET of the OpenAPI document and every page. */
async function allReads(baseUrl: string): Promise<readonly string[]> {
  const { paths } = (await (await fetch(`${baseUrl}/openapi.json`)).json()) as {
    readonly paths: Readonly<Record<string, { readonly get?: { readonly parameters?: readonly Described[] } }>>;
  };
  const operations = Object.entries(paths).flatMap(([path, { get }]) => {
    if (!get) return [];
    const needed = (get.parameters ?? []).filter((one) => one.in === 'query' && one.required);
    const query = needed.map(({ name }) => `${name}=${encodeURIComponent(FILLED[name]?.[0] ?? '')}`).join('&');
    return query === '' ? path : `${path}?${query}`;
  });
  const pages = PAGES.filter(({ method }) => method === undefined).map(({ path }) => templateOf(path));
  return [...new Set([...operations, ...pages])]
    .filter((path) => path !== '/health/ready')
    .flatMap((path) => {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
      const most = Math.max(1, ...names.map((name) => FILLED[name]?.length ?? 1));
      return Array.from({ length: most }, (_, at) =>
        path.replace(/\{(\w+)\}/g, (_part, name: string) => (FILLED[name] ?? ['a']).at(at) ?? FILLED[name]?.[0] ?? 'a'),
      );
    });
}

interface Read {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Described {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
}

function through(line: TcpFront, database: URL): string {
  database.port = String(line.port);
  database.searchParams.set('connect_timeout', '2');
  return database.href;
}

describe.each(backends().slice(-1))('while Postgres stands still, with the queue on %s', (backend) => {
  let service: Service;
  let host: TestHost;
  let line: TcpFront;
  let payer: Payer;
  let standing: Promise<void> = Promise.resolve();
  let signed: string;
  let reads: readonly string[];

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
    reads = await allReads(service.baseUrl);
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

  it('every other read is answered within seconds, and so is a purchase, and what they say is true', async () => {
    const paying = { path: `${known}/refresh`, headers: { 'payment-signature': signed } };
    const keys = ['hpo_', 'hpw_', 'hps_'].map((prefix) => `Bearer ${prefix}${'A'.repeat(43)}`);
    const plain = reads.flatMap((path): readonly Read[] =>
      /claims|watches|subscription|changes$/.test(path)
        ? keys.map((authorization) => ({ path, headers: { authorization } }))
        : ['*/*', 'text/markdown'].map((accept) => ({ path, headers: { accept } })),
    );
    expect(plain.length).toBeGreaterThan(120);
    const answers = await Promise.all(
      [...plain, paying].map(async ({ path, headers }) => ({ path, ...(await ask(path, { headers })) })),
    );
    const wrong = answers.filter(({ status, headers, ms }) => {
      const isOwn = status < 500 || (status === 503 && headers.get('retry-after') !== null);
      return !isOwn || ms > SECONDS_MS;
    });
    expect(wrong.map(({ path, status, ms, body }) => ({ path, status, ms, body: body.slice(0, 200) }))).toEqual([]);
    const away = answers.filter(({ status }) => status === 503);
    expect(away.length).toBeGreaterThan(20);
    for (const { path, body } of away) {
      if (body.startsWith('{'))
        expect([path, JSON.parse(body)]).toEqual([
          path,
          expect.objectContaining({
            code: expect.stringMatching(/^(?:storage_away|no_worker|queue_away|probes_\w+)$/) as string,
          }),
        ]);
    }
    expect(answers.at(-1)!.status).toBe(503);
    expect(await payer.balance()).toBe(1_000_000n);
    expect((await ask('/health/live')).status).toBe(200);
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
