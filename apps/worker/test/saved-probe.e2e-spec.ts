import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { Client } from 'pg';
import { ChangeRepository, Database, HostRepository, isConnectionError, RunRepository, type Probe } from '@app/storage';
import { orderOf } from '@app/queue';
import type { PaymentRail } from '@app/reports';
import { hostName } from '../../../test/support/report';
import { freshDatabase } from '../../../test/support/stack';
import { until } from '../../../test/support/until';
import { putWatch } from '../../../test/support/watches';

const AT = new Date('2026-11-23T08:00:00.000Z');
const DOMAIN = 'shop.example.com';
/** The tables that a probe writes, in order. */
const TABLES = [
  ...['probe_run', 'host', 'host_rail', 'change_event', 'host_day'],
  ...['evidence_body', 'evidence', 'watched_host', 'alert'],
];

describe('the stored data of a probe', () => {
  let database: Database;
  let observer: Client;
  let hosts: HostRepository;
  const heard: string[] = [];

  beforeAll(async () => {
    const url = await freshDatabase();
    database = new Database(url, { secretsKeys: ['of this test only'], maxConnections: 4 });
    hosts = new HostRepository(database);
    observer = new Client({ connectionString: url });
    observer.on('notification', ({ channel, payload = '' }) => heard.push(`${channel} ${payload}`));
    await observer.connect();
    await observer.query('LISTEN run_finished; LISTEN host_changed');
    await observer.query(`CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(60); RETURN NULL; END $$`);
    await putWatch(database, { domain: DOMAIN });
  });
  afterAll(async () => {
    await observer.end();
    await database.close();
  });

  const railOf = (runId: string) =>
    ({
      ...{ protocol: 'x402', network: 'eip155:8453', amountUsd: '0.02', reasons: [], observedAt: AT.toISOString() },
      resource: `https://${DOMAIN}/${runId}`,
    }) as unknown as PaymentRail;
  const probe = (runId: string, baseVersion: number): Probe => ({
    ...{ runId, bought: true, domain: DOMAIN, site: 'example.com', baseVersion, facts: `{"run":"${runId}"}` },
    ...{
      clocks: { probedAt: AT.toISOString() },
      reachable: true,
      payable: true,
      driftMemory: null,
      outcome: { runId },
    },
    rails: [railOf(runId)],
    events: [{ at: AT.toISOString(), protocol: 'mcp', kind: 'appeared', summary: 'm', before: null, after: { a: 1 } }],
    sample: { at: AT, outcome: 'up', bought: true },
    bundle: {
      root: randomUUID(),
      lines: ['a line'],
      bodies: new Map([[runId, { bytes: Buffer.from('a'), leaks: false }]]),
    },
  });
  const begun = async (): Promise<string> => {
    const order = { ...orderOf({ kind: 'host', host: hostName(DOMAIN) }), subject: randomUUID() };
    return (await new RunRepository(database).open(order, new Date(Date.now() + 60_000))).run.id;
  };
  const version = async (): Promise<number> => (await hosts.find(DOMAIN))?.version ?? 0;
  const stored = async (): Promise<readonly unknown[]> => {
    const all = [];
    for (const table of TABLES) all.push((await observer.query(`SELECT t::text FROM ${table} t ORDER BY 1`)).rows);
    return all;
  };
  /** The notifications so far. */
  const notices = async (): Promise<readonly string[]> => {
    const end = randomUUID();
    await observer.query(`SELECT pg_notify('host_changed', $1)`, [end]);
    await until('the last notice', () => heard.at(-1)?.endsWith(end) ?? false);
    return heard.splice(0).slice(0, -1);
  };

  const deaths = TABLES.flatMap((table) => [
    ['behind', table, ''],
    ['at the commit of', table, 'DEFERRABLE INITIALLY DEFERRED'],
  ]);
  it.each(deaths)('is complete or missing if the connection breaks %s %s', async (_, table, when) => {
    const [runId, base] = [await begun(), await version()];
    await observer.query(
      `CREATE CONSTRAINT TRIGGER dies AFTER INSERT OR UPDATE ON ${table} ${when} FOR EACH ROW EXECUTE FUNCTION die()`,
    );
    const before = await stored();
    const failed: unknown = await hosts.saveProbe(probe(runId, base)).catch((error: unknown) => error);
    await observer.query(`DROP TRIGGER dies ON ${table}`);
    expect(isConnectionError(failed)).toBe(true);
    expect([await stored(), await notices()]).toEqual([before, []]);
    expect(await hosts.saveProbe(probe(runId, base))).toBe('saved');
    const after = await stored();
    expect(after.filter((rows, index) => JSON.stringify(rows) === JSON.stringify(before[index]))).toEqual([]);
    expect(await notices()).toEqual([`host_changed ${DOMAIN}`, `run_finished ${runId} {"runId":"${runId}"}`]);
  });

  it('is from exactly one of several probes of a report, and of several workers with one run', async () => {
    for (const again of [false, true]) {
      if (!again) await observer.query('DELETE FROM host; DELETE FROM host_rail');
      const base = await version();
      const runs = await Promise.all(Array.from({ length: 4 }, begun));
      const saved = await Promise.all(runs.map((runId) => hosts.saveProbe(probe(runId, base))));
      expect(saved.toSorted()).toEqual(['saved', 'stale_base', 'stale_base', 'stale_base']);
      const lost = runs[saved.indexOf('stale_base')]!;
      const twice = await Promise.all([1, 2].map(() => hosts.saveProbe(probe(lost, base + 1))));
      expect(twice.toSorted()).toEqual(['run_over', 'saved']);
      expect([await version(), (await notices()).length]).toEqual([base + 2, 4]);
    }
  });

  it('has the time of the database, independent of the process', async () => {
    const [runId, base] = [await begun(), await version()];
    const rest = ['nextTick', 'setImmediate', 'setTimeout', 'clearTimeout', 'queueMicrotask', 'performance'] as const;
    jest.useFakeTimers({ now: Date.parse('2020-01-01'), doNotFake: [...rest] });
    await hosts.saveProbe(probe(runId, base)).finally(() => jest.useRealTimers());
    const { rows } = await observer.query(
      `SELECT host.updated_at = ALL(ARRAY[finished_at, last_read_at, bought_at, alert.at]) AS one,
              host.updated_at > now() - interval '1 minute' AND evidence.at > now() - interval '1 minute' AS now,
              $1 = ALL(ARRAY[probed_at, host_day.first, host_rail.observed_at]) AND day = '2026-11-23' AS given
       FROM host JOIN probe_run ON id::text = statement_id JOIN evidence ON root = evidence_root, host_day, host_rail, alert
       ORDER BY alert.seq DESC LIMIT 1`,
      [AT],
    );
    expect(rows).toEqual([{ one: true, now: true, given: true }]);
  });

  /** Names that mean something to Prisma or JavaScript, as a host may write them. */
  const KEYS = [
    '$type',
    'value',
    'prisma__type',
    'prisma__value',
    '__prismaRawParameters__',
    'values',
    'toStringTag',
    'toJSON',
    'set',
  ];
  const WORDS = [
    'DateTime',
    'Json',
    'Bytes',
    'Raw',
    'Param',
    'param',
    'Enum',
    'FieldRef',
    'Decimal',
    '[object Decimal]',
    'DbNull',
    '%1',
  ];
  const text = fc.oneof(
    fc.constantFrom(...WORDS),
    fc.string({ unit: 'binary' }).map((all) => all.replaceAll('\0', '')),
  );
  /** Characters that `jsonb` rejects, mixed with similar ones. */
  const refused = fc.string({
    unit: fc.constantFrom('a', '\0', '\ud800', '\udfff', '\u{1f980}', '\\', '\\u0000', '"'),
  });
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      ...[fc.constantFrom(true, null, 1, 1e20), text, refused, fc.array(tie('value'), { maxLength: 3 })],
      fc.dictionary(fc.constantFrom(...KEYS), tie('value'), { maxKeys: 4 }),
    ),
  }));

  /** The stored value, with U+FFFD in place of rejected characters. */
  const kept = (said: unknown): unknown =>
    JSON.parse(JSON.stringify(said), (_, one: unknown) =>
      typeof one === 'string' ? one.replaceAll('\0', '\ufffd').toWellFormed() : one,
    );

  it('equals what the host wrote, even if it has a special meaning for programs', async () => {
    const hostile = fc.record({ text, one: value, members: fc.dictionary(fc.constantFrom(...KEYS), value) });
    await fc.assert(
      fc.asyncProperty(hostile, async ({ text: summary, one, members }) => {
        const [runId, base] = [await begun(), await version()];
        const plain = probe(runId, base);
        const events = [{ ...plain.events[0]!, summary, before: one, after: members }] as unknown as Probe['events'];
        const driftMemory = members as unknown as Probe['driftMemory'];
        expect(await hosts.saveProbe({ ...plain, facts: summary, events, driftMemory, outcome: one })).toBe('saved');
        const { rows } = await observer.query(
          `SELECT facts, drift_memory, outcome, summary, before, after FROM host JOIN probe_run ON id::text = statement_id, change_event
           ORDER BY change_event.id DESC LIMIT 1`,
        );
        const [before, after] = [kept(one), kept(members)];
        const stored = { facts: summary, drift_memory: after, outcome: before, summary, before, after };
        expect(rows).toEqual([stored]);
        expect(await hosts.find(DOMAIN)).toMatchObject({ facts: summary, driftMemory: after });
        expect((await new ChangeRepository(database).latest(DOMAIN, 1))[0]).toMatchObject({
          ...{ summary, before, after },
        });
        expect(await new RunRepository(database).find(runId)).toMatchObject({ outcome: before });
      }),
      { numRuns: 100 },
    );
  });
});
