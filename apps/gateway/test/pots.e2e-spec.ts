import { randomBytes, randomUUID } from 'node:crypto';
import { keyHash, newChallenge, newKey } from '@app/owners';
import { ALL_CALLERS, openLimitStore, TargetBudgets } from '@app/limits';
import { Database } from '@app/storage';
import { acceptV2, base64, challengeV2 } from '../../../test/support/challenges';
import { callTool } from '../../../test/support/mcp';
import { newPayer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { backends } from '../../../test/support/stack';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';
import { until } from '../../../test/support/until';

const CALLERS = 8;
const STRANGERS = Array.from({ length: 40 }, (_, at) => `stranger-${at}.example.com`);
const LIMITS = { TARGET_PROBES_PER_15_MIN: '6', TARGET_REQUESTS_PER_MIN: '240', FREE_PROBES_PER_SITE_DAY: '8' };

describe('free and paid work in one address block', () => {
  const stops: (() => unknown)[] = [];
  let service: Service;
  let shop: TestHost;
  let strange: TestHost;
  let tarpit: TestHost;
  let database: Database;
  let n = 0;

  beforeEach(async () => {
    const resources = Array.from({ length: 8 }, (_, at) => `/paid/${at}`);
    shop = await startTestHost({
      '/llms.txt': says('# Shop\n'),
      '/.well-known/x402': says(JSON.stringify({ x402Version: 2, resources })),
      ...Object.fromEntries(
        resources.map((path) => [path, says('{}', { 'payment-required': base64(challengeV2([acceptV2()])) }, 402)]),
      ),
    });
    strange = await startTestHost({ '/llms.txt': says('# Stranger\n') });
    tarpit = await startTestHost({ '*': () => undefined });
    const named = STRANGERS.map((name) => strange.as(name));
    const traps = Array.from({ length: 12 }, (_, at) => tarpit.as(`tarpit-${at}.example.com`));
    service = await startService({
      backend: backends()[0]!,
      connectTo: [...['shop', 'quick'].map((name) => shop.as(`${name}.example.com`)), ...named, ...traps],
      env: {
        ...LIMITS,
        TRUSTED_PROXIES: '127.0.0.1',
        RATE_LIMIT_CLAIMS_PER_HOUR: '1000',
        CLAIM_RESOLVERS: '127.0.0.1:9',
      },
    });
    database = new Database(service.config.database.url, service.config.database);
    stops.push(
      () => Promise.all([shop, strange, tarpit].map((host) => host.close())),
      () => database.close(),
      () => service.stop(),
    );
    await service.admitted();
  });
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  });

  const url = (path: string): string => `${service.baseUrl}/${path}`;
  const asStranger = (): Record<string, string> => ({ 'x-forwarded-for': `203.0.113.${(n++ % CALLERS) + 1}` });
  const lookUp = (name: string) =>
    fetch(url(`api/v1/hosts/${name}`), { headers: { ...asStranger(), prefer: 'wait=10' } });
  const claim = async (name: string): Promise<void> => {
    const begun = await fetch(url(`api/v1/hosts/${name}/claims`), { method: 'POST', headers: asStranger() });
    const { id, key } = (await begun.json()) as { readonly id: string; readonly key: string };
    const authorization = `Bearer ${key}`;
    expect((await fetch(url(`api/v1/claims/${id}`), { headers: { ...asStranger(), authorization } })).status).toBe(200);
  };
  const unfinished = async (kind: string): Promise<number> => {
    const { rows } = await database.pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM probe_run WHERE kind = $1 AND status IN ('queued', 'running')`,
      [kind],
    );
    return rows[0]!.n;
  };
  /** An owner with verified control. */
  const owner = async (name: string): Promise<{ readonly id: string; readonly key: string }> => {
    const [id, key] = [randomUUID(), newKey('claim')];
    await database.pool.query(
      `INSERT INTO claim (id, domain, site, caller, key_hash, challenge, created_at, level, level_since, last_seen_at, asked_at)
       VALUES ($1, $2, $2, '', $3, $4, now() - interval '1 hour', 'dns', now() - interval '1 hour', now(), now())`,
      [id, name, keyHash(key), newChallenge()],
    );
    return { id, key };
  };

  it('does not affect buyers and owners, however many hosts of the site and block strangers request', async () => {
    await Promise.all([...STRANGERS.map(lookUp), ...STRANGERS.map(claim)]);
    await until(
      'free work has ended',
      async () => (await unfinished('presence')) + (await unfinished('claim_check')) === 0,
    );
    expect(strange.requests.length).toBeGreaterThan(100);
    expect(strange.requests.length).toBeLessThan(480);
    const payer = await newPayer();
    for (let bought = 0; bought < 5; bought += 1)
      expect((await payer.fetch(url('api/v1/hosts/shop.example.com/refresh'))).status).toBe(200);
    const { id, key } = await owner('quick.example.com');
    const authorization = `Bearer ${key}`;
    const probe = await fetch(url(`api/v1/claims/${id}/probe`), { method: 'POST', headers: { authorization } });
    expect(probe.status).toBe(202);
    await until("the owner's probe is over", async () => (await unfinished('watch')) === 0);
    const { rows } = await database.pool.query(`SELECT status, failure FROM probe_run WHERE kind = 'watch'`);
    expect(rows).toEqual([{ status: 'done', failure: null }]);
  });

  it('is refused before payment if the budget of the block is used up, on every path, and never later', async () => {
    const payer = await newPayer();
    expect((await payer.fetch(url('api/v1/hosts/shop.example.com/refresh'))).status).toBe(200);
    const store = openLimitStore({ redisUrl: service.config.redis?.url ?? null, pool: database.pool });
    stops.push(() => {
      store.close();
    });
    const budget = new TargetBudgets(store, service.config.targets).ofProbe('paid');
    const block = store.limiter('block', 960, 60);
    /** Probes hosts of the same block until this many of its requests are left. */
    const leave = async (left: number): Promise<void> => {
      for (let at = 0; ((await block.get('127.0.0.0/24'))?.remainingPoints ?? 960) > left; at += 1)
        await budget.spend({ host: `h${at}.neighbor-${at}.example`, site: `neighbor-${at}.example` }, ['127.0.0.1']);
    };
    await leave(24);
    expect((await fetch(url('api/v1/hosts/shop.example.com/refresh'))).status).toBe(429);
    const health = 'api/v1/endpoints/health?url=https%3A%2F%2Fshop.example.com%2Fpay';
    expect((await payer.fetch(url(health))).status).toBe(200);
    await leave(0);
    const batch = { domains: ['shop.example.com', 'quick.example.com'], mode: 'full' };
    const json = { 'content-type': 'application/json' };
    const address = `0x${randomBytes(20).toString('hex')}`;
    const entries: readonly (readonly [string, RequestInit?])[] = [
      ['api/v1/hosts/shop.example.com/refresh'],
      ['api/v1/hosts/shop.example.com?refresh=1'],
      ['api/v1/hosts/shop.example.com/protocols/llms/refresh'],
      [`api/v1/hosts/shop.example.com/payto-check?address=${address}`],
      [health],
      ['api/v1/hosts/refresh', { method: 'POST', headers: json, body: JSON.stringify(batch) }],
    ];
    for (const [path, init] of entries) {
      const answer = await fetch(url(path), init);
      expect([path, answer.status, answer.headers.get('payment-required')]).toEqual([path, 429, null]);
      expect(await answer.json()).toMatchObject({ code: 'target_busy', retryAfterSec: expect.any(Number) });
    }
    const tool = await callTool(service, 'refresh_host', { domain: 'shop.example.com' });
    expect(JSON.stringify(tool.body)).toMatch(/target_busy/);
    expect(JSON.stringify(tool.body)).not.toMatch(/"accepts"/);
  });

  it('for claim checks has its own queue, with at most three seconds per file', async () => {
    await Promise.all(Array.from({ length: 12 }, (_, at) => claim(`tarpit-${at}.example.com`)));
    await until('checks wait at the tarpit', () => tarpit.requests.length > 0);
    expect(await (await lookUp('quick.example.com')).json()).toMatchObject({ reachable: true });
    expect(await unfinished('claim_check')).toBeGreaterThan(0);
    await until('the first check is over', async () => (await unfinished('claim_check')) < 12);
    const { rows } = await database.pool.query(`SELECT finding->>'file' AS file FROM claim WHERE finding IS NOT NULL`);
    expect(rows[0]).toEqual({ file: 'unknown' });
  });

  it.each([
    ['checks of endpoints', 0.05, (at: number) => `endpoints/health?url=https%3A%2F%2Fshop.example.com%2F${at}`],
    ['checks of a payee', 0.7, (at: number) => `hosts/shop.example.com/payto-check?address=0x${String(at).repeat(40)}`],
    ['probes of a protocol', 0.5, () => 'hosts/shop.example.com/protocols/x402/refresh'],
  ] as const)(
    'and small paid work does not block full probes of a host: %s, with weight %s',
    async (_, weight, path) => {
      const payer = await newPayer();
      const sentFor = async (bought: string): Promise<number> => {
        const before = shop.requests.length;
        expect((await payer.fetch(url(`api/v1/${bought}`))).status).toBe(200);
        return shop.requests.length - before;
      };
      const sent: number[] = [];
      for (let at = 0; at < 6; at += 1) sent.push(await sentFor(path(at)));
      const full = await sentFor('hosts/shop.example.com/refresh');
      // The weight counts documents that are always asked for; what follows from them differs by host.
      expect(Math.max(...sent) / full).toBeLessThanOrEqual(weight + 0.1);
    },
  );

  it('for claim checks is limited per caller and per network', async () => {
    const store = openLimitStore({ redisUrl: service.config.redis?.url ?? null, pool: database.pool });
    await store.limiter('caller_all_claim_checks', 600, 3_600).block(ALL_CALLERS, 3_600);
    store.close();
    await claim('quick.example.com');
    const { rowCount } = await database.pool.query(`SELECT FROM probe_run WHERE kind = 'claim_check'`);
    expect([rowCount, shop.requests]).toEqual([0, []]);
  });
});
