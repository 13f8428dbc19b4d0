import { AsyncLocalStorage } from 'node:async_hooks';
import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Database, isConnectionError } from '@app/storage';
import { everyRoute } from '../src/gateway.document';
import { installationOf } from '../src/products/installation';
import { newPayer, signPayment, type Payer } from '../../../test/support/payer';
import { Scrape } from '../../../test/support/prometheus';
import { startService, type Service } from '../../../test/support/service';
import { backends, freshDatabase } from '../../../test/support/stack';
import { startTcpFront, type TcpFront } from '../../../test/support/tcp-front';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';
import { until } from '../../../test/support/until';

/** No read hangs. Each ends within ten seconds by itself, but some four hundred at once keep a slow machine busy. */
const BOUND_MS = 60_000;

/** Values for the path or the query of a read, by name: of a host that is in memory, and of an unknown host. */
const FILLED: Readonly<Record<string, readonly [string, string?]>> = {
  domain: ['shop.example.com', 'never-seen.example.com'],
  file: ['shop.example.com.svg', 'never-seen.example.com.svg'],
  protocol: ['ucp'],
  id: ['00000000-0000-4000-8000-000000000000'],
  code: ['storage_unavailable'],
  name: ['site.css'],
  url: ['https://shop.example.com/'],
  payable: ['true'],
  index: ['0'],
  sha256: ['0'.repeat(64)],
  root: ['0'.repeat(64)],
  amount: ['1'],
  tx: [`0x${'0'.repeat(64)}`],
  address: [`0x${'1'.repeat(40)}`],
  payTo: [`0x${'1'.repeat(40)}`],
};

/** A badge shows its day and a statement when it was signed, so neither needs an `Age`. */
const NAMES_ITS_TIME = /\/badge\/|\/statement|application\/jwt/;

/** Who asks: for each form of an answer, and with each kind of key. */
const READERS: readonly Readonly<Record<string, string>>[] = [
  ...['*/*', 'text/markdown', 'application/jwt'].map((accept) => ({ accept })),
  ...['hpo_', 'hpw_', 'hps_'].map((prefix) => ({ authorization: `Bearer ${prefix}${'A'.repeat(43)}` })),
];

interface Described {
  readonly paths: Readonly<Record<string, { readonly get?: { readonly parameters?: readonly Parameter[] } }>>;
}

interface Parameter {
  readonly name: string;
  readonly in?: string;
  readonly required?: boolean;
}

/** Every GET route, with its parameters filled in. */
function allReads(service: Service): readonly string[] {
  const { paths } = everyRoute(installationOf(service.config)) as unknown as Described;
  const filled = (name: string, at: number): string => FILLED[name]?.[at] ?? FILLED[name]![0];
  return Object.entries(paths).flatMap(([path, { get }]) => {
    if (!get || path === '/health/ready') return [];
    const query = (get.parameters ?? [])
      .filter((one) => one.in === 'query' && (one.required || one.name in FILLED))
      .map(({ name }) => `${name}=${encodeURIComponent(filled(name, 0))}`)
      .join('&');
    const address = (at: number) => path.replace(/\{(\w+)\}/g, (_, name: string) => filled(name, at));
    return [...new Set([address(0), address(1)])].map((one) => (query === '' ? one : `${one}?${query}`));
  });
}

interface Read {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** How a request's waits for storage ended. */
interface Waits {
  failed: boolean;
  /** Waits that began after an earlier one had failed. */
  again: number;
}

/** Records for each request at a gateway whether it waits for storage again after a failed wait. */
function noteWaits(service: Service, asked: Map<string, Waits>): void {
  const current = new AsyncLocalStorage<Waits>();
  const server: Server = service.gateway.getHttpServer();
  const [route] = server.listeners('request');
  server.removeAllListeners('request').on('request', (request, response) => {
    const waits = { failed: false, again: 0 };
    asked.set(String(request.headers['x-read']), waits);
    current.run(waits, () => {
      route?.(request, response);
    });
  });
  const { pool } = service.services.database;
  const query = pool.query.bind(pool) as (...args: readonly unknown[]) => Promise<unknown>;
  const noted = (...args: readonly unknown[]): unknown => {
    const waits = current.getStore();
    const [statement] = args as [string | { readonly text: string }];
    const text = typeof statement === 'string' ? statement : statement.text;
    // Callers are counted in the process then, after a separate wait.
    if (!waits || text.includes('limit_counter')) return query(...args);
    if (waits.failed) waits.again += 1;
    const answer = query(...args);
    answer.catch((error: unknown) => {
      if (isConnectionError(error)) waits.failed = true;
    });
    return answer;
  };
  pool.query = noted as typeof pool.query;
}

describe('while Postgres does not answer', () => {
  let service: Service;
  let host: TestHost;
  let line: TcpFront;
  let payer: Payer;
  let signed: string;
  const asked = new Map<string, Waits>();

  const ask = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
    const response = await fetch(`${service.baseUrl}${path}`, { headers, signal: AbortSignal.timeout(BOUND_MS) });
    return { status: response.status, headers: response.headers, body: await response.text() };
  };
  const known = '/api/v1/hosts/shop.example.com';
  const read = async ({ path, headers }: Read, at: number) => {
    const id = `${at} ${path} ${Object.values(headers).join().slice(0, 20)}`;
    const { status, headers: sent, body } = await ask(path, { ...headers, 'x-read': id });
    return { id, status, age: sent.get('age'), retryAfter: sent.get('retry-after'), body, waits: asked.get(id)! };
  };

  beforeAll(async () => {
    const database = new URL(await freshDatabase());
    line = await startTcpFront(Number(database.port));
    database.port = String(line.port);
    database.searchParams.set('connect_timeout', '2');
    host = await startTestHost({ '/llms.txt': says('# Shop\n') });
    service = await startService({
      backend: backends().at(-1)!,
      connectTo: [host.as('shop.example.com')],
      env: {
        DATABASE_URL: database.href,
        RATE_LIMIT_CHECKS_PER_MIN: '1000000',
        RATE_LIMIT_EVIDENCE_PER_MIN: '1000000',
      },
    });
    noteWaits(service, asked);
    payer = await newPayer();
    await service.admitted();
    signed = await signPayment(payer, await fetch(`${service.baseUrl}${known}/refresh`));
    await ask(known, { prefer: 'wait=10' });
  });
  afterAll(async () => {
    await service.stop();
    await Promise.all([line.close(), host.close()]);
  });

  it.each<readonly [string, (over: Promise<unknown>) => unknown, isInTurn: boolean]>([
    ['stops answering open and new connections', (over) => line.standStill(over), false],
    ['refuses', () => (line.state = 'cut'), true],
  ])('because it %s, each read is answered after one wait, with correct data', async (_, fail, isInTurn) => {
    for (let times = 0; times < 2; times += 1) await ask(known);
    const paths = [...allReads(service), `${known}?refresh=1`];
    const reads = [
      ...paths.flatMap((path) => READERS.map((headers) => ({ path, headers }))),
      { path: `${known}/refresh`, headers: { 'payment-signature': signed } },
    ];
    await sleep(5_100); // Waits until memory is older than what is served while storage is available.
    const answers = await (async () => {
      let end = (): void => undefined;
      void fail(new Promise<void>((resolve) => (end = resolve)));
      expect((await ask('/health/ready')).status).toBe(503);
      if (!isInTurn) return Promise.all(reads.map(read)).finally(end);
      // One after the other, so that requests share no wait, and none is skipped because another has just failed.
      const now = performance.now.bind(performance);
      let passed = 0;
      jest.spyOn(performance, 'now').mockImplementation(() => now() + passed);
      const all = [];
      for (const [at, one] of reads.entries()) {
        all.push(await read(one, at));
        passed += 1_001;
      }
      return all;
    })();
    expect(answers.filter(({ waits }) => waits.again > 0).map(({ id }) => id)).toEqual([]);
    const wrong = answers.filter(({ id, status, retryAfter, age, waits }) =>
      status < 500 ? waits.failed && age === null && !NAMES_ITS_TIME.test(id) : status !== 503 || retryAfter === null,
    );
    expect(wrong.map(({ id, status }) => [id, status])).toEqual([]);
    const fromMemory = answers.filter(({ age }) => age !== null);
    expect([...new Set(fromMemory.map(({ status }) => status))]).toEqual([200]);
    for (const { age, body } of fromMemory) {
      expect(Number(age)).toBeGreaterThanOrEqual(5);
      expect(JSON.parse(body)).toMatchObject({ domain: 'shop.example.com', cache: { presenceStale: false } });
    }
    const away = answers.filter(({ status }) => status === 503);
    expect(away.length).toBeGreaterThan(150);
    const code = expect.stringMatching(/^(?:storage_unavailable|no_worker|queue_unavailable|probes_\w+)$/) as string;
    for (const { id, body } of away) {
      if (body.startsWith('{')) expect([id, JSON.parse(body)]).toEqual([id, expect.objectContaining({ code })]);
    }
    expect(answers.at(-1)!.status).toBe(503);
    expect(await payer.balance()).toBe(1_000_000n);
    line.state = 'open';
    await until('readiness', async () => (await ask('/health/ready')).status === 200);
    await service.admitted();
    expect((await ask(known)).headers.get('age')).toBeNull();
  });

  it('accepts the same payment when storage answers again', async () => {
    expect((await ask(`${known}/refresh`, { 'payment-signature': signed })).status).toBe(200);
    expect(await payer.balance()).toBe(980_000n);
  });

  it('the lost connection for notifications is counted', async () => {
    const { registry } = service.services.metrics;
    expect(new Scrape(await registry.metrics()).sum('hostprobe_failures_total', { part: 'notices' })).toBeGreaterThan(
      0,
    );
  });
});

describe('a session', () => {
  it('uses UTC in any server time zone, because Prisma writes times without a zone', async () => {
    const database = new Database(`${await freshDatabase()}&options=-c%20lock_timeout%3D9s`);
    const addedAt = new Date();
    await database.prisma.optOut.create({ data: { domain: 'shop.example.com', addedAt } });
    const sql = `SELECT added_at, current_setting('lock_timeout') AS kept FROM opt_out`;
    expect((await database.pool.query(sql)).rows).toEqual([{ added_at: addedAt, kept: '9s' }]);
    await database.close();
  });
});
