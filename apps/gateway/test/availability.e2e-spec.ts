import { createHash } from 'node:crypto';
import { Database } from '@app/storage';
import { HISTORY_DAYS, readReport } from '@app/reports';
import { newPayer } from '../../../test/support/payer';
import { startService, type Service } from '../../../test/support/service';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';
import { until } from '../../../test/support/until';

const GIB = 1_024 ** 3;
/** Quarters of an hour: answered at midnight, failed at 00:15 and 00:30, answered at 00:45 and 01:00. */
const OUTAGE = Buffer.alloc(24);
OUTAGE.set([0b01_10_10_01, 0b01]);

describe('the history of a host', () => {
  let service: Service;
  let shop: TestHost;
  let database: Database;
  beforeAll(async () => {
    shop = await startTestHost({ '/': says('hello') });
    service = await startService({
      connectTo: [shop.as('shop.example.com')],
      env: { FREE_PRESENCE_PROBE: 'off' },
    });
    database = new Database(service.config.database.url, { maxConnections: 1 });
    await service.admitted();
    expect((await (await newPayer()).fetch(url('/refresh'))).status).toBe(200);
  });
  afterAll(async () => {
    await database.close();
    await service.stop();
    await shop.close();
  });

  const url = (path = '') => `${service.baseUrl}/api/v1/hosts/shop.example.com${path}`;
  const read = async () => {
    const response = await fetch(url());
    const text = await response.text();
    return { text, etag: response.headers.get('etag'), report: readReport(text) };
  };
  const day = (back: number) => new Date(Date.now() - back * 86_400_000).toISOString().slice(0, 10);
  const count = (back: number, counts: { up?: number; down?: number; unknown?: number }, bitmap = Buffer.alloc(24)) =>
    database.pool.query(
      `INSERT INTO host_day (domain, day, up, down, unknown, bought_up, bought_down, first, last, reasons, bitmap)
       VALUES ('shop.example.com', $1, $2, $3, $4, 0, 0, now(), now(), '{}', $5)
       ON CONFLICT (domain, day) DO UPDATE SET up = host_day.up + $2`,
      [day(back), counts.up ?? 0, counts.down ?? 0, counts.unknown ?? 0, bitmap],
    );
  /** Repeats the read, because gateways keep a report in memory for seconds. */
  const readUntil = async (what: string, holds: (now: Awaited<ReturnType<typeof read>>) => boolean) => {
    let now = await read();
    await until(what, async () => holds((now = await read())));
    return now;
  };

  it('is empty on the first day, and follows the hashed text', async () => {
    const { text, report } = await read();
    const nothing = { from: day(HISTORY_DAYS), to: day(1), up: 0, down: 0, unknown: 0, low: 0, high: 1, incidents: [] };
    expect(report.history).toEqual(nothing);
    expect(Object.keys(JSON.parse(text) as object).slice(-4)).toEqual(['cache', 'refresh', 'report', 'history']);
    const stored = `${text.slice(0, text.indexOf(',"cache":'))}}`;
    expect(createHash('sha256').update(stored).digest('base64url')).toBe(report.report!.sha256);
  });

  it('changes when a day ends, not with the probes of today', async () => {
    const before = await read();
    await count(0, { up: 1 });
    await count(1, { up: 1 });
    const after = await readUntil('the day that is over', ({ etag }) => etag !== before.etag);
    expect(after.report.history).toMatchObject({ up: 1, down: 0, low: 0.2065, high: 1 });
    expect(after.report.report).toEqual(before.report.report);
  });

  it('ignores failures on our side, and shows an outage with its bounds, also on the page and in Markdown', async () => {
    await count(2, { up: 3, down: 2, unknown: 4 }, OUTAGE);
    const { report } = await readUntil('the outage', (now) => now.report.history?.down === 2);
    const at = (time: string) => `${day(2)}T${time}:00.000Z`;
    expect(report.history).toEqual({
      from: day(HISTORY_DAYS),
      to: day(1),
      up: 4,
      down: 2,
      unknown: 4,
      low: 0.2999,
      high: 0.9033,
      incidents: [{ beginsBetween: [at('00:00'), at('00:30')], endsBetween: [at('00:30'), at('01:00')], failures: 2 }],
    });
    const said = `Up in 4 of 6 scheduled checks from ${day(HISTORY_DAYS)} to ${day(1)}: 29.9 % to 90.4 % uptime (95 % confidence interval). 4 more checks failed on our side.`;
    const begun = `Went down between ${day(2)} 00:00 UTC and ${day(2)} 00:30 UTC`;
    for (const accept of ['text/html', 'text/markdown']) {
      const shown = await fetch(`${service.baseUrl}/hosts/shop.example.com`, { headers: { accept } });
      const text = await shown.text();
      expect(text).toContain(said);
      expect(text).toContain(begun);
    }
  });

  it('needs less than a GiB for 10,000 hosts per year, and is read by the key of its host', async () => {
    const rows = 100 * 365;
    await database.pool.query(
      `INSERT INTO host_day (domain, day, up, down, unknown, bought_up, bought_down, first, last, reasons, bitmap)
       SELECT 'shop' || host || '.long-name-of-a-site.example', current_date - 200 - day, 1, 1, 0, 0, 0, now(), now(),
              '{"connect_timeout": 1}', decode(repeat('a5', 24), 'hex')
       FROM generate_series(1, 100) host, generate_series(1, 365) day`,
    );
    const { rows: sizes } = await database.pool.query<{ bytes: string }>(
      `SELECT pg_total_relation_size('host_day') AS bytes`,
    );
    expect((Number(sizes[0]!.bytes) / rows) * 10_000 * 365).toBeLessThan(GIB);
    await database.pool.query('ANALYZE host_day');
    const { rows: plan } = await database.pool.query<Record<string, string>>(
      `EXPLAIN SELECT sum(up) FROM host_day WHERE domain = 'shop7.long-name-of-a-site.example' AND day > current_date - 600`,
    );
    expect(plan.map((line) => line['QUERY PLAN']).join('\n')).toMatch(/host_day_pkey/);
  });
});
