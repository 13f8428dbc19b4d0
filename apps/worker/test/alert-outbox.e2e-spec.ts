import { randomUUID } from 'node:crypto';
import {
  ClaimRepository,
  Database,
  DeliveryRepository,
  RetentionRepository,
  HostRepository,
  RunRepository,
  WatchRepository,
  type Probe,
} from '@app/storage';
import type { DriftEvent } from '@app/reports';
import { RETENTION } from '../src/schedule/worker-schedule';
import { ABSENT } from '../../../test/support/claim-findings';
import { freshDatabase } from '../../../test/support/stack';
import { putAlert, putWatch } from '../../../test/support/watches';

const AT = '2026-11-23T08:00:00.000Z';
const ALL = ['host.changed', 'host.payee_changed', 'host.price_changed', 'host.unreachable', 'host.recovered'];

describe('the alerts of watched hosts', () => {
  let database: Database;
  let hosts: HostRepository;

  beforeAll(async () => {
    database = new Database(await freshDatabase(), { secretsKeys: ['of this test only'] });
    hosts = new HostRepository(database);
  });
  beforeEach(async () => {
    for (const table of ['alert', 'watch', 'watched_host', 'claim', 'subscription', 'host', 'probe_run']) {
      await database.pool.query(`DELETE FROM ${table}`);
    }
  });
  afterAll(() => database.close());

  const watch = (domain: string, columns: Readonly<Record<string, unknown>> = {}): Promise<string> =>
    putWatch(database, { domain, types: ALL, ...columns });

  const change = (kind: DriftEvent['kind']): DriftEvent => ({
    at: AT,
    protocol: 'x402',
    kind,
    summary: `${kind}.`,
    before: null,
    after: null,
  });

  /** Stores a probe of the host, which the database may refuse. */
  async function probed(
    domain: string,
    kinds: readonly DriftEvent['kind'][],
    more: Partial<Probe> = {},
  ): Promise<string> {
    const order = { kind: 'host', domain, args: {}, subject: randomUUID() };
    const { run } = await new RunRepository(database).open(order, new Date(Date.now() + 60_000));
    for (;;) {
      const baseVersion = (await hosts.find(domain))?.version ?? 0;
      const probe: Probe = {
        ...{
          runId: run.id,
          bought: true,
          domain,
          site: domain,
          baseVersion,
          facts: '{}',
          clocks: {},
          reachable: true,
          payable: false,
        },
        ...{ rails: [], driftMemory: null, events: kinds.map(change), outcome: {}, ...more },
      };
      const saved = await hosts.saveProbe(probe);
      if (saved !== 'stale_base') return saved;
    }
  }

  const alerts = async (): Promise<readonly string[]> =>
    (await database.pool.query<{ type: string }>('SELECT type FROM alert ORDER BY domain, seq')).rows.map(
      (row) => row.type,
    );
  const failures: unknown[] = [];
  const fanOut = (): Promise<boolean> => new DeliveryRepository(database).fanOut((error) => failures.push(error));
  /** The deliveries of a watch, after workers wrote those of all alerts. */
  const deliveries = async (id: string): Promise<number> => {
    while (await fanOut());
    return (await database.pool.query('SELECT FROM alert_delivery WHERE watch_id = $1', [id])).rowCount ?? 0;
  };

  it.each(['endpoint.verify', 'host.changed'])(
    'being sent to a former receiver do not affect the new one (%s)',
    async (type) => {
      const id = await watch('shop.example', {
        key_hash: 'of this watch',
        state: type === 'endpoint.verify' ? 'pending' : 'active',
      });
      await putAlert(database, id, type, 'former challenge');
      const outbox = new DeliveryRepository(database);
      const [former] = await outbox.take({ most: 10, failing: false, running: {} });
      const watches = new WatchRepository(database, 0);
      const receiver = { url: 'https://new.example.org/', site: 'example.org' };
      expect(await watches.change(id, { receiver })).toMatchObject({ status: 'pending', url: receiver.url });
      const taken = {
        status: 200,
        outcome: '200',
        ms: 1,
        excerpt: '',
        waitSec: null,
        taken: true,
        pauseSec: 0,
        gone: false,
      };
      await outbox.record(former!, taken);
      expect(await watches.find(id, 'of this watch')).toMatchObject({ status: 'pending' });
      const due = await outbox.take({ most: 10, failing: false, running: {} });
      expect(due).toMatchObject([{ url: receiver.url, alert: { type: 'endpoint.verify' } }]);
      expect(due[0]!.alert.subject).not.toBe('former challenge');
      await outbox.record(due[0]!, taken);
      expect(await watches.find(id, 'of this watch')).toMatchObject({ status: 'active' });
    },
  );

  it('are not written without an active watch', async () => {
    await probed('shop.example', ['appeared']);
    await watch('other.example');
    await watch('shop.example', { state: 'pending' });
    await watch('shop.example', { alerts_left: 0 });
    await database.pool.query(`UPDATE watch SET ends_at = now() - interval '1 second' WHERE id = $1`, [
      await watch('shop.example'),
    ]);
    await probed('shop.example', ['appeared']);
    expect(await alerts()).toEqual([]);
    expect((await database.pool.query('SELECT FROM watched_host')).rowCount).toBe(0);
  });

  it('end with a revoked subscription, and with a deleted claim or subscription', async () => {
    const id = randomUUID();
    await database.pool.query(
      `INSERT INTO subscription (id, domain, key_hash, created_at, ends_at) VALUES ($1, 'shop.example', 'k', now(), now() + interval '1 day')`,
      [id],
    );
    await watch('shop.example', { subscription_id: id });
    await probed('shop.example', ['appeared']);
    expect(await alerts()).toHaveLength(1);
    await database.pool.query('UPDATE subscription SET revoked_at = now()');
    await probed('shop.example', ['appeared']);
    expect(await alerts()).toHaveLength(1);
    await database.pool.query('DELETE FROM subscription');
    expect((await database.pool.query('SELECT FROM watch')).rowCount).toBe(0);
  });

  it('go to each watch by its types, and are counted if limited', async () => {
    const [all, payee, counted] = [
      await watch('shop.example'),
      await watch('shop.example', { types: ['host.payee_changed'] }),
      await watch('shop.example', { alerts_left: 1 }),
    ];
    await probed('shop.example', ['pay_to_changed', 'price_changed', 'price_changed', 'rules_changed']);
    expect(await alerts()).toEqual(['host.payee_changed', 'host.price_changed']);
    expect([await deliveries(all), await deliveries(payee), await deliveries(counted)]).toEqual([2, 1, 1]);
  });

  it('that were omitted are reported to every watch of the host, because they may have been of any type', async () => {
    const payee = await watch('shop.example', { types: ['host.payee_changed'] });
    await probed('shop.example', ['pay_to_changed']);
    await database.pool.query('UPDATE watched_host SET in_hour = 100');
    await probed('shop.example', ['pay_to_changed']);
    expect(await deliveries(payee)).toBe(1);
    await database.pool.query(`UPDATE watched_host SET hour = hour - interval '1 hour'`);
    await probed('shop.example', []);
    expect(await deliveries(payee)).toBe(2);
    const { rows } = await database.pool.query(
      'SELECT type, seq, coalesced FROM alert JOIN alert_delivery ON id = alert_id WHERE watch_id = $1 ORDER BY seq',
      [payee],
    );
    expect(rows).toEqual([
      { type: 'host.payee_changed', seq: 1, coalesced: null },
      { type: 'host.changed', seq: 2, coalesced: 1 },
    ]);
  });

  /** Creates this many active watches of a host, each with its own receiver. */
  const crowd = (domain: string, many: number): Promise<unknown> =>
    database.pool.query(
      `INSERT INTO watch (id, domain, host_site, url, site, types, key_hash, state, created_at, ends_at)
       SELECT gen_random_uuid(), $1, $1, 'https://hooks.example.com/', 's' || n, $3, $1 || n, 'active', now(), now() + interval '1 day'
       FROM generate_series(1, $2) n`,
      [domain, many, ALL],
    );
  const written = async (domain: string): Promise<number> =>
    (await database.pool.query('SELECT FROM alert_delivery JOIN alert ON id = alert_id WHERE domain = $1', [domain]))
      .rowCount ?? 0;

  it('are one row each in the transaction, and reach thousands of watches in batches, interleaved with other hosts', async () => {
    await crowd('crowd.example', 2_600);
    const few = await watch('few.example');
    await probed('crowd.example', ['appeared']);
    expect([await alerts(), await written('crowd.example')]).toEqual([['host.changed'], 0]);
    await fanOut();
    await probed('few.example', ['appeared']);
    await fanOut();
    expect([await written('crowd.example'), await written('few.example')]).toEqual([500, 1]);
    // The rows of the last batch are rolled back with it: the next batch starts where the previous one ended.
    await database.pool.query('ALTER TABLE alert_delivery ADD CONSTRAINT never CHECK (false) NOT VALID');
    await fanOut();
    expect(String(failures.pop())).toContain('never');
    await database.pool.query('ALTER TABLE alert_delivery DROP CONSTRAINT never');
    await database.pool.query('UPDATE alert SET fan_out_at = at');
    await Promise.all([1, 2, 3].map(fanOut));
    expect([await deliveries(few), await written('crowd.example')]).toEqual([1, 2_600]);
  });

  it('whose deliveries cannot be written do not block others, and are retried after growing pauses', async () => {
    const good = await watch('z.example');
    for (let bad = 0; bad < 25; bad += 1) {
      await watch(`bad${bad}.example`);
      await probed(`bad${bad}.example`, ['appeared']);
    }
    await database.pool.query(`ALTER TABLE alert_delivery ADD CONSTRAINT bad CHECK (watch_id = '${good}') NOT VALID`);
    await probed('z.example', ['appeared']);
    const beginning = async (): Promise<Date> =>
      (await database.pool.query<{ now: Date }>('SELECT now()')).rows[0]!.now;
    const pausesSince = async (since: Date): Promise<readonly number[]> => {
      const { rows } = await database.pool.query<{ pause: number }>(
        `SELECT extract(epoch FROM fan_out_at - $1)::float8 AS pause FROM alert WHERE domain LIKE 'bad%'`,
        [since],
      );
      return rows.map(({ pause }) => pause);
    };
    failures.length = 0;
    const first = await beginning();
    expect([await deliveries(good), failures.length]).toEqual([1, 25]);
    expect((await pausesSince(first)).filter((pause) => pause < 5 || pause > 100)).toEqual([]);
    await database.pool.query(`UPDATE alert SET at = at - interval '100 seconds', fan_out_at = at`);
    await database.pool.query(`UPDATE watch SET created_at = created_at - interval '100 seconds'`);
    const second = await beginning();
    while (await fanOut());
    expect((await pausesSince(second)).filter((pause) => pause < 100)).toEqual([]);
    await database.pool.query('ALTER TABLE alert_delivery DROP CONSTRAINT bad');
  });

  it('do not deadlock with deletions of watches, which lock them in the same order or skip those in use', async () => {
    const claims = new ClaimRepository(database, 600_000);
    const ids = ['ffffffff', '00000000'].map((head) => `${head}-0000-4000-8000-000000000000`);
    const [ends, mine] = [await claims.open('shop.example', 'k', 'c'), await claims.open('shop.example', 'l', 'c')];
    const fans = await database.pool.connect();
    const others = await database.pool.connect();
    const isFree = (id: string): Promise<boolean> =>
      others.query('SELECT FROM watch WHERE id = $1 FOR UPDATE NOWAIT', [id]).then(
        ({ rowCount }) => rowCount === 1,
        () => false,
      );
    const waits = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
    const forget = () =>
      new RetentionRepository(database).forget({ ...RETENTION, claim: { ...RETENTION.claim, days: 1 } });
    for (const claim of [mine, ends]) {
      for (const id of ids) await watch('shop.example', { id, claim_id: claim.id });
      if (claim === ends) await database.pool.query(`UPDATE claim SET created_at = now() - interval '2 days'`);
      await fans.query('BEGIN');
      await fans.query('SELECT FROM watch WHERE id = $1 FOR UPDATE', [ids[1]]);
      const ended = claim === ends ? forget() : claims.remove(claim.id);
      while ((await others.query(waits)).rowCount === 0);
      expect(await isFree(ids[0]!)).toBe(true);
      await fans.query('COMMIT');
      await ended;
      expect((await others.query('SELECT FROM watch')).rowCount).toBe(0);
    }
    await watch('shop.example', { id: ids[1] });
    await watch('shop.example', { id: ids[0] });
    await database.pool.query(`UPDATE watch SET ends_at = now() - interval '1000 days'`);
    await fans.query('BEGIN');
    await fans.query('SELECT FROM watch WHERE id = $1 FOR UPDATE', [ids[1]]);
    await forget();
    expect((await others.query<{ id: string }>('SELECT id FROM watch')).rows).toEqual([{ id: ids[1] }]);
    await fans.query('COMMIT');
    for (const client of [fans, others]) client.release();
  });

  it('go to the watches that were active at the change, not to later ones', async () => {
    const [ended, deleted] = [await watch('shop.example'), await watch('shop.example')];
    await probed('shop.example', ['appeared']);
    const later = await watch('shop.example');
    await database.pool.query(`UPDATE watch SET ends_at = now() WHERE id = $1`, [ended]);
    await database.pool.query('DELETE FROM watch WHERE id = $1', [deleted]);
    expect([await deliveries(ended), await deliveries(later)]).toEqual([1, 0]);
  });

  it.each(['one buyer', 'one site'])(
    'come from probes that are not delayed by %s with thousands of hosts',
    async (party) => {
      const [site, payer] = [
        `CASE WHEN $1 = 'one site' THEN 'big.example' ELSE name END`,
        `CASE WHEN $1 = 'one buyer' THEN 'big' ELSE name END`,
      ];
      await database.pool.query(
        `WITH named AS (SELECT name, gen_random_uuid() AS id FROM (
           SELECT 'h' || n || '.big.example' FROM generate_series(1, 14401) n
           UNION ALL SELECT 'shop' || n || '.example' FROM generate_series(1, 25) n) names (name)),
         paid AS (INSERT INTO payment_attempt (id, network, asset, payer, nonce, pay_to, amount, valid_before, sku,
             resource, payload_digest, state, payment, created_at, updated_at)
           SELECT id, 'n', 'a', CASE WHEN name LIKE 'h%' THEN ${payer} ELSE name END, name, 't', 1, now(), 'watch', 'r', name, 'settled', '{}', now(), now() FROM named),
         known AS (INSERT INTO host (domain, site, version, facts, callability_probed_at, updated_at)
           SELECT name, name, 1, '{}', now() - CASE WHEN name LIKE 'h%' THEN interval '9 hours' ELSE interval '7 hours' END, now() FROM named)
       INSERT INTO watch (id, domain, host_site, url, site, types, key_hash, state, created_at, ends_at, payment_digest)
       SELECT id, name, CASE WHEN name LIKE 'h%' THEN ${site} ELSE name END, 'https://a.example/', 'a.example', '{}', name, 'active', now(), now() + interval '1 day', name FROM named`,
        [party],
      );
      const due = (await hosts.dueForWatch(40)).map(({ ascii }) => ascii);
      expect([due.length, due.filter((domain) => domain.startsWith('shop')).length]).toEqual([40, 25]);
      await database.pool.query('DELETE FROM payment_attempt');
    },
  );

  it('are part of the transaction of the report: no alert is sent for a report that was not stored', async () => {
    await watch('shop.example');
    await expect(probed('shop.example', ['appeared'], { facts: '{' + '\u0000' + '}' })).rejects.toThrow();
    expect([await alerts(), await hosts.find('shop.example')]).toEqual([[], undefined]);
    // Conversely, a report whose alerts cannot be written is not stored.
    await database.pool.query('ALTER TABLE alert ADD CONSTRAINT never CHECK (false) NOT VALID');
    await expect(probed('shop.example', ['appeared'])).rejects.toThrow('never');
    await database.pool.query('ALTER TABLE alert DROP CONSTRAINT never');
    expect(await hosts.find('shop.example')).toBeUndefined();
  });

  it('are numbered without gaps if many probes of a host end at once', async () => {
    await watch('shop.example');
    await watch('other.example');
    const both = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? 'shop.example' : 'other.example'));
    await Promise.all(both.map((domain) => probed(domain, ['appeared', 'pay_to_changed'])));
    const { rows } = await database.pool.query<{ seqs: number[] }>(
      'SELECT array_agg(seq ORDER BY seq) AS seqs FROM alert GROUP BY domain',
    );
    expect(rows.map(({ seqs }) => seqs)).toEqual([1, 2].map(() => Array.from({ length: 20 }, (_, at) => at + 1)));
  });

  it('report a host as down after two failed probes in a row, and when it is up again', async () => {
    await watch('shop.example');
    const sample = (outcome: 'up' | 'down' | 'unknown') => ({ at: new Date(), outcome, bought: false });
    for (const outcome of ['up', 'down', 'unknown', 'down', 'down', 'up'] as const) {
      await probed('shop.example', [], { sample: sample(outcome) });
    }
    expect(await alerts()).toEqual(['host.unreachable', 'host.recovered']);
  });

  it('about a claim only go to its owner, once per lapse', async () => {
    const claims = new ClaimRepository(database, 600_000);
    const claim = await claims.open('shop.example', 'k', 'c');
    await database.pool.query(
      `UPDATE claim SET level = 'dns', level_since = now() - interval '1 day', last_seen_at = now() - interval '1 hour'`,
    );
    const types = ['claim.lapsing'];
    const [mine, other] = [
      await watch('shop.example', { types, claim_id: claim.id }),
      await watch('shop.example', { types }),
    ];
    const checked = (dns: 'found' | 'absent') => claims.record(claim.id, { ...ABSENT, dns });
    const endsAt = async (): Promise<number> =>
      (
        await database.pool.query<{ days: number }>(
          `SELECT round(extract(epoch FROM ends_at - now()) / 86400)::int AS days FROM watch WHERE id = $1`,
          [mine],
        )
      ).rows[0]!.days;
    await checked('found');
    expect(await endsAt()).toBe(15);
    await database.pool.query(
      `UPDATE claim SET last_seen_at = now() - interval '6 days', level_since = now() - interval '9 days'`,
    );
    for (const dns of ['absent', 'absent'] as const) await checked(dns);
    expect([await alerts(), await deliveries(mine), await deliveries(other), await endsAt()]).toEqual([types, 1, 0, 9]);
    await claims.remove(claim.id);
    expect([await deliveries(mine), (await database.pool.query('SELECT FROM watch')).rowCount]).toEqual([0, 1]);
  });

  it('come from probes: a watched host is due every six hours, and five minutes after it was down once', async () => {
    const known = async (domain: string, ago: string, silent: number, presence = ago): Promise<void> => {
      await watch(domain);
      await probed(domain, []);
      await database.pool.query(
        `UPDATE host SET probed_at = now() - least($2::interval, $3::interval), callability_probed_at = now() - $2::interval WHERE domain = $1`,
        [domain, ago, presence],
      );
      await database.pool.query('UPDATE watched_host SET silent = $2 WHERE domain = $1', [domain, silent]);
    };
    await known('fresh.example.com', '5 hours', 0);
    await known('old.example.com', '7 hours', 0, '1 minute'); // A free probe of published files does not count as a paid one.
    await known('just-silent.example.com', '7 hours', 1, '1 minute');
    await known('silent.example.com', '6 minutes', 1);
    await known('gone.example.com', '6 minutes', 2);
    await watch('new.example.com');
    await probed('unwatched.example.com', []);
    for (const refused of ['a.localhost', 'b.localhost', '192.0.2.1']) await watch(refused);
    const due = async () => (await hosts.dueForWatch(3)).map(({ ascii }) => ascii);
    expect(await due()).toEqual(['new.example.com', 'old.example.com', 'silent.example.com']);
    const order = { kind: 'watch', domain: 'old.example.com', args: {}, subject: 's' };
    const { run } = await new RunRepository(database).open(order, new Date(Date.now() + 60_000));
    expect(await due()).toEqual(['new.example.com', 'silent.example.com']);
    await new RunRepository(database).fail(run.id, 'target_busy');
    await database.pool.query(`UPDATE probe_run SET created_at = now() - interval '20 minutes' WHERE kind = 'watch'`);
    expect(await due()).toEqual(['new.example.com', 'old.example.com', 'silent.example.com']);
  });

  it('come from probes that are at most six hours apart while there is a watch', async () => {
    const [stepMin, runs] = [15, new RunRepository(database)];
    const names = ['one.example.com', 'two.example.com', 'three.example.com'];
    for (const domain of names) await watch(domain);
    const [probedAt, ended] = [new Map<string, number[]>(), 72 * 60];
    for (let minute = 0; minute < ended + 24 * 60; minute += stepMin) {
      if (minute === ended) await database.pool.query(`UPDATE watch SET ends_at = now() - interval '1 second'`);
      for (const { ascii: domain } of await hosts.dueForWatch(10)) {
        // Every second attempt at one host meets exhausted budgets or a worker crash.
        const tries = probedAt.get(domain) ?? [];
        if (domain === names[2] && minute % (2 * stepMin) === 0) {
          const order = { kind: 'watch', domain, args: {}, subject: `watch ${domain}` };
          await runs.fail((await runs.open(order, new Date(Date.now() + 60_000))).run.id, 'target_busy');
          continue;
        }
        await probed(domain, []);
        await database.pool.query('UPDATE host SET callability_probed_at = now() WHERE domain = $1', [domain]);
        probedAt.set(domain, [...tries, minute]);
      }
      await database.pool.query(
        `UPDATE host SET callability_probed_at = callability_probed_at - $1 * interval '1 minute'`,
        [stepMin],
      );
      await database.pool.query(`UPDATE probe_run SET created_at = created_at - $1 * interval '1 minute'`, [stepMin]);
    }
    const gaps = (domain: string): readonly number[] => {
      const times = probedAt.get(domain)!;
      return times.slice(1).map((minute, at) => minute - times[at]!);
    };
    for (const domain of names) {
      const late = domain === names[2] ? stepMin : 0;
      expect(Math.min(...gaps(domain))).toBeGreaterThanOrEqual(360);
      expect(Math.max(...gaps(domain))).toBeLessThanOrEqual(360 + late);
      expect(probedAt.get(domain)!.at(-1)).toBeGreaterThanOrEqual(ended - 360 - late);
      expect(probedAt.get(domain)!.at(-1)).toBeLessThan(ended);
    }
  });
});
