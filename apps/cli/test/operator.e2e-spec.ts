import { runCommand } from '../../../test/support/command-line';
import { loadConfig } from '@app/config';
import { Database, DeliveryRepository } from '@app/storage';
import { sealReceiver } from '../../../libs/storage/src/owners/sealed-receiver';
import { freshDatabase } from '../../../test/support/stack';
import { EXIT } from '../src/terminal/exit-codes';

describe('the opt-out command', () => {
  it('adds, lists and removes a host under its plain name', async () => {
    const env = { DATABASE_URL: await freshDatabase() };
    const optOut = (...args: string[]) => runCommand(['opt-out', ...args], { env });
    expect(await optOut('add', 'https://www.Example.com/')).toMatchObject({ code: EXIT.done, err: '' });
    expect(await optOut('list')).toEqual({ code: EXIT.done, out: 'example.com\n', err: '' });
    expect(await optOut('remove', 'example.com')).toMatchObject({
      out: 'Removed the opt-out of example.com. It may be probed again.\n',
    });
    expect(await optOut('list')).toEqual({ code: EXIT.done, out: '', err: 'none\n' });
  });

  describe('with stored documents', () => {
    let database: Database;
    beforeEach(async () => {
      database = new Database(await freshDatabase(), { secretsKeys: ['of this test only'] });
      for (const domain of ['example.com', 'a.shop.example.com', 'notexample.com', 'example.org']) {
        await database.pool.query(
          `INSERT INTO host (domain, site, version, facts, updated_at) VALUES ($1, $1, 1, '{}', now())`,
          [domain],
        );
        await store(domain);
      }
    });
    afterEach(() => database.close());

    async function store(domain: string): Promise<void> {
      await database.pool.query(
        `INSERT INTO evidence (root, domain, lines, bodies, at) VALUES ($1 || random(), $1, '', '{}', now())`,
        [domain],
      );
      await database.pool.query(`INSERT INTO evidence_body VALUES ($1, 'b', '', false)`, [domain]);
    }
    /** Domains of bundles, with the reason why their bodies are withheld. */
    const bundles = async () => {
      const { rows } = await database.pool.query<{ bundle: string }>(
        `SELECT domain || coalesce(' ' || withheld, '') AS bundle FROM evidence ORDER BY domain`,
      );
      return rows.map(({ bundle }) => bundle);
    };

    const optOut = (...args: string[]) => runCommand(['opt-out', ...args], { env: { DATABASE_URL: database.url } });
    const domains = async (table: 'host' | 'evidence_body') => {
      const { rows } = await database.pool.query<{ domain: string }>(`SELECT domain FROM ${table} ORDER BY domain`);
      return rows.map(({ domain }) => domain);
    };

    it('removes those of the host and its subdomains, and keeps the reports', async () => {
      expect(await optOut('add', 'example.com')).toMatchObject({
        code: EXIT.done,
        out: expect.stringContaining('Removed the stored documents of 2 hosts.') as string,
      });
      expect(await domains('evidence_body')).toEqual(['example.org', 'notexample.com']);
      expect(await bundles()).toEqual([
        'a.shop.example.com opt_out',
        'example.com opt_out',
        'example.org',
        'notexample.com',
      ]);
      expect(await domains('host')).toHaveLength(4);
    });

    it('removes on the second run what a running probe stored after the first', async () => {
      await optOut('add', 'example.org');
      await store('example.org');
      await optOut('add', 'example.org');
      expect(await domains('evidence_body')).not.toContain('example.org');
      expect(await bundles()).toContain('example.org opt_out');
    });

    it('removes those of a host on a legal request, marks this in its bundles, and lists nothing', async () => {
      const run = runCommand(['withhold', 'example.com'], { env: { DATABASE_URL: database.url } });
      expect(await run).toMatchObject({ code: EXIT.done, out: expect.stringContaining('of 2 hosts') as string });
      expect(await domains('evidence_body')).toEqual(['example.org', 'notexample.com']);
      expect(await bundles()).toContain('example.com legal');
      expect(await optOut('list')).toMatchObject({ out: '' });
    });

    it('does not list the host when its documents cannot be removed', async () => {
      await database.pool.query('ALTER TABLE evidence_body RENAME TO evidence_body_away');
      expect(await optOut('add', 'example.com')).toMatchObject({ code: EXIT.fault });
      expect(await optOut('list')).toMatchObject({ out: '' });
    });
  });
});

describe('the webhooks command', () => {
  let database: Database;
  beforeEach(async () => {
    const url = await freshDatabase();
    database = new Database(url, loadConfig({ DATABASE_URL: url }).database);
    await database.pool.query(
      `INSERT INTO watch (id, domain, host_site, url, site, types, key_hash, state, reason, failing_since, created_at, ends_at)
       SELECT ('00000000-0000-4000-8000-00000000000' || n)::uuid, 'shop.example.com', 'example.com', $1,
         'example.com', '{host.changed}', n, state, reason, failing, now(), now() + interval '1 day'
       FROM (VALUES (1, 'active', NULL, NULL), (2, 'ended', 'failing', timestamptz '2026-11-01 00:00:00Z'),
         (3, 'ended', 'gone', now()), (4, 'active', NULL, now())) AS w (n, state, reason, failing)`,
      [sealReceiver(await database.secrets.vault(), 'shop.example.com', 'https://hooks.example.com/secret?a=b')],
    );
    await database.pool.query(
      `INSERT INTO alert (id, domain, type, at) SELECT 'msg_' || n, 'shop.example.com', 'host.changed', now()
       FROM generate_series(1, 3) n`,
    );
    await database.pool.query(
      `INSERT INTO alert_delivery (watch_id, alert_id, state, failures, outcome, tried_at, next_at)
       SELECT id, alert, d.state, 10, '500', now(), now() + wait FROM watch,
         (VALUES ('msg_1', 'delivered', interval '0'), ('msg_2', 'due', interval '1 hour'),
           ('msg_3', 'exhausted', interval '0')) AS d (alert, state, wait)
       WHERE id::text NOT LIKE '%1' OR d.state = 'delivered'`,
    );
  });
  afterEach(() => database.close());

  const webhooks = (...args: string[]) => runCommand(['webhooks', ...args], { env: { DATABASE_URL: database.url } });
  const watch = (n: number): string => `00000000-0000-4000-8000-00000000000${n}`;
  const deliveries = async (n: number) =>
    (
      await database.pool.query<{ row: string }>(
        `SELECT concat_ws(' ', alert_id, state, failures, next_at <= now()) AS row FROM alert_delivery
         WHERE watch_id = $1 ORDER BY alert_id`,
        [watch(n)],
      )
    ).rows.map(({ row }) => row);

  it('lists failing receivers without their address, and resends abandoned alerts with their ids', async () => {
    const { out } = await webhooks('list');
    expect(out.split('\n')[0]).toBe(
      `${watch(2)}  shop.example.com to hooks.example.com  ended (failing), failing since 2026-11-01T00:00:00.000Z, ` +
        '1 due, 1 given up, last attempt: 500',
    );
    expect([out.match(/^0\S+/gm), out.includes('secret')]).toEqual([[watch(2), watch(3), watch(4)], false]);
    expect(await webhooks('replay', watch(2))).toEqual({
      code: EXIT.done,
      out: 'Sending 2 alerts again, with the same ids\n',
      err: '',
    });
    expect(await deliveries(2)).toEqual(['msg_1 delivered 10 t', 'msg_2 due 0 t', 'msg_3 due 0 t']);
    expect(await deliveries(4)).toEqual(['msg_1 delivered 10 t', 'msg_2 due 10 f', 'msg_3 exhausted 10 t']);
    const { rows } = await database.pool.query('SELECT state, reason, failing_since FROM watch WHERE id = $1', [
      watch(2),
    ]);
    expect(rows).toEqual([{ state: 'active', reason: null, failing_since: null }]);
  });

  it('sends nothing to a receiver that no longer takes alerts, and says so', async () => {
    for (const id of [watch(3), watch(9), 'x']) {
      const { code, err } = await webhooks('replay', id);
      expect([code, err]).toEqual([EXIT.usage, expect.stringContaining(`no active watch ${id} that takes alerts`)]);
    }
    expect(await deliveries(3)).toEqual(['msg_1 delivered 10 t', 'msg_2 due 10 f', 'msg_3 exhausted 10 t']);
  });

  it('uses the same counts as the metrics: alerts that wait for a worker, not for their receiver', async () => {
    const alerts = new DeliveryRepository(database);
    expect(await alerts.standing()).toEqual({ oldestWaitSec: 0, reached: 1, failing: 1, claimsLapsing: 0 });
    await database.pool.query(`UPDATE alert_delivery SET next_at = now() - interval '1 hour' WHERE state = 'due'`);
    expect(Math.round((await alerts.standing()).oldestWaitSec / 60)).toBe(60);
    await database.pool.query(`UPDATE watch SET paused_until = now() - interval '10 minutes'`);
    expect(Math.round((await alerts.standing()).oldestWaitSec / 60)).toBe(10);
    await database.pool.query(`UPDATE watch SET paused_until = now() + interval '10 minutes'`);
    await database.pool.query(
      `INSERT INTO claim (id, domain, site, caller, key_hash, challenge, created_at, level, level_since, last_seen_at, missing)
       SELECT gen_random_uuid(), 'shop.example.com', 'example.com', '', n, n, now(), 'dns', now(), now() - n * interval '10 days', true
       FROM generate_series(1, 2) n`,
    );
    expect(await alerts.standing()).toEqual({ oldestWaitSec: 0, reached: 1, failing: 1, claimsLapsing: 1 });
  });
});

describe('an operator command', () => {
  it.each([[['opt-out', 'list']], [['subscription', 'list']], [['rejudge']], [['ledger', 'check']]])(
    '%j without a database says which variable to set',
    async (args) => {
      expect(await runCommand(args, { env: { DATA_DIR: '/nowhere' } })).toEqual({
        code: EXIT.usage,
        out: '',
        err: 'set DATABASE_URL, or DATA_DIR to where npm start keeps its data\n',
      });
    },
  );

  it.each([[['opt-out', 'list']], [['subscription', 'list']], [['rejudge']]])(
    '%j ends with a fault when its database does not answer',
    async (args) => {
      const env = { DATABASE_URL: 'postgresql://u@127.0.0.1:1/none' };
      const { code, out, err } = await runCommand(args, { env });
      expect([code, out]).toEqual([EXIT.fault, '']);
      expect(err).toMatch(/ECONNREFUSED|reach/);
    },
  );
});
