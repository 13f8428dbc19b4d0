import { randomUUID } from 'node:crypto';
import { UNPROVED_PER_HOST } from '@app/owners';
import {
  ClaimRepository,
  Database,
  RetentionRepository,
  HostRepository,
  OpenPaymentRepository,
  ReaderRepository,
  REPORT_BYTES,
  RunRepository,
} from '@app/storage';
import { GROWTH } from '../../../test/support/growth-table';
import { freshDatabase } from '../../../test/support/stack';
import { SUPERSEDED_DAYS } from '../src/schedule/worker-schedule';

/** Older than every age limit, in days. */
const LONG_AGO = 2_000;
/** The number of rows that each table keeps here, with 100 bytes each where bytes count. */
const STAY = 3;
const ROW = Buffer.alloc(100);
const KEPT = { days: 90, rows: STAY, bytes: 1_000_000 };

/** Derived from the name, so that related rows of two tables have the same order, independent of the clock. */
const EARLIER = `('x' || left(md5($1), 4))::bit(16)::int * interval '1 second'`;

/** How to create a row of each table, about its own host and this many days old. */
const ROWS: Readonly<Record<string, string>> = {
  host: `INSERT INTO host (domain, site, version, facts, updated_at, last_read_at)
         VALUES ($1, $1, 1, '{}', now(), now() - $2 * interval '1 day')`,
  host_rail: `INSERT INTO host_rail (domain, position, protocol, resource, payable, rail, observed_at)
              VALUES ($1, 0, 'x402', '/', true, '{}', now() - $2 * interval '1 day')`,
  host_day: `INSERT INTO host_day (domain, day, up, down, unknown, bought_up, bought_down, first, last, reasons, bitmap)
             VALUES ($1, current_date - $2::int, 1, 0, 0, 0, 0, now(), now(), '{}', '')`,
  change_event: `INSERT INTO change_event (domain, at, protocol, kind, summary)
                 VALUES ($1, now() - $2 * interval '1 day', 'llms', 'appeared', 's')`,
  evidence: `INSERT INTO evidence (root, domain, lines, bodies, at) VALUES ($1, $1, $3, '{b}', now() - $2 * interval '1 day')`,
  evidence_body: `INSERT INTO evidence_body SELECT $1, 'b', $3, $2 < 0`,
  probe_run: `INSERT INTO probe_run (id, kind, domain, subject, status, created_at, deadline_at)
              VALUES (gen_random_uuid(), 'presence', $1, $1, 'done', now() - $2 * interval '1 day', now())`,
  claim: `INSERT INTO claim (id, domain, site, caller, key_hash, challenge, created_at)
          VALUES (gen_random_uuid(), $1, $1, '', $1, 'c', now() - $2 * interval '1 day')`,
  watch: `INSERT INTO watch (id, domain, host_site, url, site, types, key_hash, created_at, ends_at)
          VALUES (md5($1)::uuid, $1, $1, 'https://a.example/', 'a.example', '{}', $1, now(), now() + (1 - $2) * interval '1 day' - ${EARLIER})`,
  watched_host: `INSERT INTO watched_host (domain, hour) VALUES ($1, now() - $2 * interval '1 day')`,
  alert: `INSERT INTO alert (id, domain, type, at) VALUES (md5($1)::uuid::text, $1, 'host.changed', now() - $2 * interval '1 day' - ${EARLIER})`,
  alert_delivery: `INSERT INTO alert_delivery (watch_id, alert_id)
                   SELECT watch.id, alert.id FROM watch JOIN alert USING (domain) WHERE domain = $1 AND $2 >= 0`,
  report_text: `INSERT INTO report_text (sha256, domain, facts, needed_until) VALUES ($1, $1, '{}', now() + (1 - $2) * interval '1 day')`,
  limit_counter: `INSERT INTO limit_counter VALUES ($1, 1, extract(epoch FROM now() + (1 - $2) * interval '1 day') * 1000)`,
  payment_attempt: `INSERT INTO payment_attempt (id, network, asset, payer, nonce, pay_to, amount, valid_before, sku,
                      resource, payload_digest, state, payment, lease_until, created_at, updated_at)
                    VALUES (gen_random_uuid(), 'n', 'a', 'p', $1, 't', 1, now(), 's', 'r', $1, 'rejected', '{}',
                      now(), now(), now() - $2 * interval '1 day')`,
  payment_event: `INSERT INTO payment_event (attempt_id, seq, state, at)
                  SELECT id, 1, 'rejected', now() - $2 * interval '1 day' FROM payment_attempt WHERE nonce = $1`,
};
/** Rows that belong to a row of another table. */
const OF: Readonly<Record<string, string>> = {
  host_rail: 'host',
  evidence: 'host',
  evidence_body: 'host',
  payment_event: 'payment_attempt',
  alert_delivery: 'alert',
  alert: 'watch',
};

const ROOM = { days: 90, rows: 1_000, bytes: 1_000_000 };
const ROOMY = {
  ...{ change_event: ROOM, host_day: ROOM, probe_run: ROOM, limit_counter: ROOM, claim: ROOM, watch: ROOM },
  ...{ watched_host: ROOM, alert: ROOM, report_text: ROOM },
} as const;

describe('the tables that anybody can make grow', () => {
  let database: Database;

  beforeAll(async () => {
    database = new Database(await freshDatabase(), { secretsKeys: ['of this test only'] });
  });
  beforeEach(async () => {
    for (const table of Object.keys(ROWS).toReversed()) await database.pool.query(`DELETE FROM ${table}`);
  });
  afterAll(() => database.close());

  async function row(table: string, domain: string, daysAgo: number): Promise<void> {
    const of = OF[table];
    if (of) await row(of, domain, daysAgo);
    const text = ROWS[table]!;
    await database.pool.query(text, [domain, daysAgo, ROW].slice(0, text.includes('$3') ? 3 : 2));
  }
  const grow = async (table: string, many: number, daysAgo: number): Promise<void> => {
    for (let i = 0; i < many; i += 1) await row(table, `${randomUUID()}.example.com`, daysAgo);
  };
  const count = async (table: string): Promise<number> =>
    (await database.pool.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${table}`)).rows[0]!.count;

  /** The hourly cleanup of a worker and the 3-second cleanup of a gateway, with lower limits. */
  async function forget(): Promise<readonly string[]> {
    const readers = new ReaderRepository(database);
    await readers.forgetSuperseded(SUPERSEDED_DAYS);
    await readers.forget({ days: 90, evidenceBytes: STAY * ROW.length, freeReports: STAY, freeReportBytes: 1_000_000 });
    const day = new Date(Date.now() - 86_400_000);
    await new OpenPaymentRepository(database).forgetUncharged({ unverified: day, verified: day, kept: STAY });
    return new RetentionRepository(database).forget({
      change_event: KEPT,
      host_day: KEPT,
      probe_run: KEPT,
      limit_counter: { ...KEPT, days: 0 },
      claim: KEPT,
      watch: KEPT,
      watched_host: KEPT,
      alert: KEPT,
      report_text: { ...KEPT, days: 0 },
    });
  }

  const ANYBODYS = GROWTH.filter(({ by }) => by === 'anybody').map(({ table }) => table);

  it('are all covered by this test, and the threat model lists every table', async () => {
    expect(Object.keys(ROWS).toSorted()).toEqual(ANYBODYS.toSorted());
    const { rows } = await database.pool.query<{ name: string }>(
      `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_name NOT LIKE '%migration%'`,
    );
    expect(GROWTH.map(({ table }) => table).toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
  });

  it.each(ANYBODYS)('have an age limit: %s', async (table) => {
    await grow(table, 2, 0);
    await grow(table, 1, LONG_AGO);
    expect(await count(table)).toBe(STAY);
    await forget();
    expect(await count(table)).toBe(2);
  });

  it.each(ANYBODYS)('have a cap: %s', async (table) => {
    await grow(table, 2 * STAY, 0);
    expect(await count(table)).toBe(2 * STAY);
    await forget();
    expect(await count(table)).toBe(STAY);
  });

  it('have a limit in bytes if hosts control the length of rows', async () => {
    const long = Array.from({ length: 400 }, () => randomUUID()).join();
    for (const [days, name] of ['a', 'b', 'c', 'd'].entries()) {
      await row('host', name, days);
      await database.pool.query('UPDATE host SET facts = $2 WHERE domain = $1', [name, JSON.stringify({ long })]);
      await row('change_event', name, 0);
      await database.pool.query('UPDATE change_event SET after = to_json($2::text) WHERE domain = $1', [name, long]);
    }
    const limits = { days: 90, evidenceBytes: 0, freeReports: 1_000, freeReportBytes: 2.5 * long.length };
    expect(await new ReaderRepository(database).forget(limits)).toMatchObject({ freeReports: 2 });
    const kept = { ...KEPT, rows: 1_000 };
    const tables = {
      host_day: kept,
      probe_run: kept,
      limit_counter: kept,
      claim: kept,
      watch: kept,
      watched_host: kept,
      alert: kept,
      report_text: kept,
    };
    const changes = { ...kept, bytes: Math.floor(2.5 * long.length) };
    expect(await new RetentionRepository(database).forget({ ...tables, change_event: changes })).toEqual([
      'change_event',
    ]);
    const left = async (table: string) =>
      (await database.pool.query<{ domain: string }>(`SELECT domain FROM ${table}`)).rows.map(({ domain }) => domain);
    expect([(await left('host')).toSorted(), (await left('change_event')).toSorted()]).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
  });

  it('keep data about paid hosts, however much strangers add', async () => {
    await row('host', 'bought', 0);
    await database.pool.query(`UPDATE host SET bought_at = now()`);
    for (const table of ['change_event', 'host_day']) {
      await row(table, 'bought', 80);
      await grow(table, 2 * STAY, 0);
    }
    expect(await forget()).toEqual(['change_event', 'host_day']);
    for (const table of ['change_event', 'host_day']) {
      const { rows } = await database.pool.query<{ domain: string }>(`SELECT domain FROM ${table}`);
      expect(rows).toHaveLength(STAY);
      expect(rows).toContainEqual({ domain: 'bought' });
    }
  });

  /** What one rank of rows of a table is made from those that `row` writes. */
  const domains = async (table: string): Promise<readonly string[]> =>
    (await database.pool.query<{ domain: string }>(`SELECT domain FROM ${table} ORDER BY domain`)).rows.map(
      ({ domain }) => domain,
    );
  const WITH_PARTIES = ['host', 'change_event', 'host_day', 'probe_run', 'claim', 'watch', 'report_text'];
  const siteOf = { claim: 'site', watch: 'host_site', host: 'site' } as Readonly<Record<string, string>>;

  it.each(WITH_PARTIES)('lose rows of the site with the most rows: %s', async (table) => {
    const own = siteOf[table];
    for (const name of [
      'old.example',
      ...Array.from({ length: 2 * STAY }, (_, n) => `h${n}.big.example`),
      'new.example',
    ]) {
      await row(table, name, 0);
      if (own === undefined) await row('host', name, 0);
      const of = own === undefined ? 'host' : table;
      await database.pool.query(`UPDATE ${of} SET ${own ?? 'site'} = 'big.example' WHERE domain LIKE '%.big.example'`);
    }
    await new RetentionRepository(database).forget({ ...ROOMY, ...(table !== 'host' && { [table]: KEPT }) });
    if (table === 'host') await forget();
    expect(await domains(table)).toEqual([expect.stringContaining('.big.example'), 'new.example', 'old.example']);
  });

  it.each(WITH_PARTIES.concat('evidence'))(
    'never delete paid data in favor of free or claimed data: %s',
    async (table) => {
      const put = async (name: string): Promise<void> => {
        await row(table, name, 0);
        if (!['host', 'evidence'].includes(table)) await row('host', name, 0);
      };
      for (const name of ['bought.example', 'claimed.example']) await put(name);
      await database.pool.query(
        `UPDATE host SET bought_at = now(), last_read_at = now() - interval '80 days' WHERE domain = 'bought.example'`,
      );
      await database.pool.query(`UPDATE probe_run SET kind = 'host' WHERE domain = 'bought.example'`);
      if (table !== 'claim') await row('claim', 'claimed.example', 0);
      await database.pool.query(`UPDATE claim SET level = 'dns', last_seen_at = now(), level_since = now()`);
      await database.pool.query(
        `UPDATE watch SET claim_id = (SELECT id FROM claim WHERE domain = 'claimed.example') WHERE domain = 'claimed.example'`,
      );
      await database.pool.query(
        `UPDATE host SET last_read_at = now() - interval '70 days' WHERE domain = 'claimed.example'`,
      );
      for (let n = 0; n < 2 * STAY; n += 1) await put(`free${n}.example`);
      // A watch whose payment never settled counts as free.
      await database.pool.query(
        `UPDATE watch SET payment_digest = domain, ends_at = ends_at + interval '1 year' WHERE domain LIKE 'free%'`,
      );
      await forget();
      const kept = await domains(table);
      const ranked =
        table === 'probe_run'
          ? ['bought.example']
          : table === 'host'
            ? ['claimed.example']
            : ['bought.example', 'claimed.example'];
      expect(kept).toEqual(expect.arrayContaining(ranked));
      expect(kept.length).toBeLessThanOrEqual(STAY + 1);
    },
  );

  it("keep an owner's claim, however many a stranger starts", async () => {
    const claims = new ClaimRepository(database, 0);
    const begin = (caller: string) => claims.open('shop.example', randomUUID(), 'c', 'shop.example', caller);
    const owner = await begin('192.0.2.0');
    for (let n = 0; n < 2 * UNPROVED_PER_HOST; n += 1) await begin('198.51.100.0');
    expect([await claims.read(owner.id), await count('claim')]).toEqual([owner, UNPROVED_PER_HOST]);
    const last = await begin('198.51.100.0');
    expect(await claims.read(last.id)).toEqual(last);
    const { rows } = await database.pool.query<{ caller: string }>('SELECT DISTINCT caller FROM claim');
    expect(rows.filter(({ caller }) => !caller.startsWith('hmac:'))).toEqual([]);
  });

  it('lose a watch a day after its payment failed, and keep one whose payment is in progress', async () => {
    for (const [name, state] of Object.entries({
      'a.example': 'settle_failed',
      'b.example': 'settling',
      'c.example': 'settled',
    })) {
      await row('watch', name, 0);
      await row('payment_attempt', name, 0);
      await database.pool.query(`UPDATE payment_attempt SET sku = 'watch', state = $2 WHERE payload_digest = $1`, [
        name,
        state,
      ]);
      await database.pool.query(`UPDATE watch SET payment_digest = domain, created_at = now() - interval '25 hours'`);
    }
    await new RetentionRepository(database).forget({ ...ROOMY, watch: { ...ROOMY.watch, days: 30 } });
    expect(await domains('watch')).toEqual(['b.example', 'c.example']);
  });

  it('get no report that exceeds the limit in the threat model', async () => {
    const store = async (domain: string, bytes: number) => {
      const order = { kind: 'presence', domain, args: {}, subject: domain };
      const { run } = await new RunRepository(database).open(order, new Date(Date.now() + 60_000));
      const beside = Buffer.byteLength('[null,[],[]]') + 2;
      return new HostRepository(database).saveProbe({
        runId: run.id,
        bought: true,
        domain,
        site: domain,
        baseVersion: 0,
        facts: `"${'x'.repeat(bytes - beside)}"`,
        clocks: {},
        reachable: true,
        payable: false,
        rails: [],
        driftMemory: null,
        events: [],
        outcome: {},
      });
    };
    await expect(store('most.example.com', REPORT_BYTES)).resolves.toBe('saved');
    await expect(store('more.example.com', REPORT_BYTES + 1)).rejects.toThrow('too large to store');
  });
});
