import { randomBytes, randomUUID } from 'node:crypto';
import type { NewAttempt } from '@app/payments';
import { Database, HostRepository, PaymentRepository, ReaderRepository } from '@app/storage';
import { freshDatabase } from '../../../test/support/stack';
import { SUPERSEDED_DAYS } from '../src/schedule/worker-schedule';

/** The size of a refused payment with its history, whatever its signature; docs/threat-model.md uses this number. */
const ROW_BYTES = 18_432;
const NO_LIMIT = { days: 90, evidenceBytes: 1_000_000, freeReports: 1_000, freeReportBytes: 1_000_000 };

describe('hosts and their readers', () => {
  let database: Database;
  let readers: ReaderRepository;

  beforeAll(async () => {
    database = new Database(await freshDatabase(), { secretsKeys: ['of this test only'] });
    readers = new ReaderRepository(database);
  });
  beforeEach(async () => {
    await database.pool.query(
      'DELETE FROM host; DELETE FROM evidence; DELETE FROM evidence_body; DELETE FROM subscription',
    );
  });
  afterAll(() => database.close());

  /** A host that was read this many days ago, with this many bytes of evidence. */
  async function known(domain: string, readDaysAgo: number, { bytes = 10, bought = false } = {}): Promise<void> {
    await database.pool.query(
      `INSERT INTO host (domain, site, version, facts, probed_at, bought_at, updated_at, last_read_at)
       VALUES ($1, $1, 1, '{}', now() - interval '2 days', CASE WHEN $3 THEN now() END, now(), now() - $2 * interval '1 day')`,
      [domain, readDaysAgo, bought],
    );
    await store(domain, bytes);
  }
  /** Stores a bundle of this many bytes, dated this many days ago. */
  async function store(domain: string, bytes: number, { daysAgo = 0, body = 'b' } = {}): Promise<void> {
    await database.pool.query(`INSERT INTO evidence_body VALUES ($1, $2, $3, false) ON CONFLICT DO NOTHING`, [
      domain,
      body,
      Buffer.alloc(bytes - 1),
    ]);
    await database.pool.query(
      `INSERT INTO evidence (root, domain, lines, bodies, at) VALUES ($1, $2, '1', $3, now() - $4 * interval '1 day')`,
      [randomUUID(), domain, [body], daysAgo],
    );
    await database.pool.query(`UPDATE host SET evidence_root = 'r', evidence_lines = 1 WHERE domain = $1`, [domain]);
  }
  const names = async (table: 'host' | 'evidence' | 'evidence_body'): Promise<readonly string[]> =>
    (await database.pool.query<{ domain: string }>(`SELECT domain FROM ${table} ORDER BY domain`)).rows.map(
      ({ domain }) => domain,
    );

  it('are probed on schedule only if somebody read the report in the last 30 days', async () => {
    await known('read.example.com', 29);
    await known('unread.example.com', 31);
    const due = async (): Promise<readonly string[]> =>
      (await new HostRepository(database).dueForPresence(10)).map(({ ascii }) => ascii);
    expect(await due()).toEqual(['read.example.com']);
    await readers.read(['unread.example.com', 'never.example.com']);
    expect((await due()).toSorted()).toEqual(['read.example.com', 'unread.example.com']);
  });

  it('are written once a day, however often they are read', async () => {
    await known('popular.example.com', 2);
    const version = async (): Promise<unknown> =>
      (await database.pool.query(`SELECT xmin::text, last_read_at FROM host`)).rows[0];
    await readers.read(['popular.example.com']);
    const once = await version();
    await readers.read(['popular.example.com']);
    expect(await version()).toEqual(once);
  });

  it('lose evidence and free reports after 90 days without a reader, but keep paid reports', async () => {
    await known('read.example.com', 89);
    await known('free.example.com', 91);
    await known('paid.example.com', 91, { bought: true });
    await known('subscribed.example.com', 91);
    await database.pool.query(
      `INSERT INTO subscription (id, domain, key_hash, created_at, ends_at)
       VALUES ($1, 'subscribed.example.com', 'k', now(), now() + interval '1 day')`,
      [randomUUID()],
    );
    await readers.forget(NO_LIMIT);
    expect(await names('host')).toEqual(['paid.example.com', 'read.example.com', 'subscribed.example.com']);
    for (const table of ['evidence', 'evidence_body'] as const) {
      expect(await names(table)).toEqual(['read.example.com', 'subscribed.example.com']);
    }
    const { rows } = await database.pool.query('SELECT domain FROM host WHERE evidence_root IS NULL');
    expect(rows).toEqual([{ domain: 'paid.example.com' }]);
  });

  it('have a limit on evidence and free reports, and the longest unread ones lose theirs first', async () => {
    for (const [domain, days] of [
      ['a', 1],
      ['b', 4],
      ['c', 2],
      ['d', 3],
    ] as const) {
      await known(`${domain}.example.com`, days, { bytes: 400 });
    }
    expect(await readers.forget({ ...NO_LIMIT, evidenceBytes: 1_000 })).toEqual({ evidence: 2, freeReports: 0 });
    for (const table of ['evidence', 'evidence_body'] as const) {
      expect(await names(table)).toEqual(['a.example.com', 'c.example.com']);
    }
    expect(await readers.forget({ ...NO_LIMIT, freeReports: 1 })).toEqual({ evidence: 0, freeReports: 3 });
    expect(await names('host')).toEqual(['a.example.com']);
  });

  it('lose superseded bundles after 31 days, with the bodies that only those refer to', async () => {
    await known('often.example.com', 0);
    await store('often.example.com', 20, { daysAgo: 32, body: 'gone' });
    await store('often.example.com', 20, { daysAgo: 32, body: 'b' });
    await store('often.example.com', 20, { daysAgo: 30, body: 'kept' });
    await known('once.example.com', 0);
    await database.pool.query(`UPDATE evidence SET at = now() - interval '80 days' WHERE domain = 'once.example.com'`);
    await readers.forgetSuperseded(SUPERSEDED_DAYS);
    expect(await names('evidence')).toEqual(['often.example.com', 'often.example.com', 'once.example.com']);
    const { rows } = await database.pool.query<{ sha256: string }>(
      `SELECT sha256 FROM evidence_body WHERE domain = 'often.example.com' ORDER BY sha256`,
    );
    expect(rows.map(({ sha256 }) => sha256)).toEqual(['b', 'kept']);
    expect(await names('evidence_body')).toContain('once.example.com');
  });

  it('and refused payments stay within the limits of the threat model', async () => {
    const ledger = new PaymentRepository(database);
    const signature = `0x${randomBytes(4_096).toString('hex')}`;
    const claim = {
      network: 'eip155:8453',
      asset: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
      payer: '0x2222222222222222222222222222222222222222',
      nonce: `0x${randomBytes(32).toString('hex')}`,
      payTo: '0x1111111111111111111111111111111111111111',
      amount: 1_000n,
      validBefore: new Date(),
      sku: 'endpoint_health',
      fingerprint: `GET https://probe.example.com/api/v1/endpoints/health?url=${'u'.repeat(2_048)} `,
      resource: `https://probe.example.com/api/v1/endpoints/health?url=${'u'.repeat(2_048)}`,
      payloadDigest: randomBytes(32).toString('hex'),
      paymentIdentifier: null,
      payment: { x402Version: 2, accepted: {}, payload: { signature, authorization: {} } },
      requirement: {},
    } as unknown as NewAttempt;
    const lease = { owner: randomUUID(), forMs: 1_000 };
    const { attempt } = await ledger.begin(claim, lease);
    await ledger.move(attempt, lease, 'rejected', { reason: 'invalid' });
    const { rows } = await database.pool.query<{ bytes: string }>(
      `SELECT (SELECT sum(pg_column_size(a.*)) FROM payment_attempt a) + (SELECT sum(pg_column_size(e.*)) FROM payment_event e) AS bytes`,
    );
    expect(Number(rows[0]!.bytes)).toBeGreaterThan(4_096);
    expect(Number(rows[0]!.bytes)).toBeLessThan(ROW_BYTES);
  });
});
