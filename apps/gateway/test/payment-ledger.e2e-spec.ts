import { randomBytes, randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { Client } from 'pg';
import { requirementFor, type Attempt, type AttemptState, type NewAttempt, type Lease } from '@app/payments';
import { Database, OpenPaymentRepository, PaymentRepository } from '@app/storage';
import { freshDatabase } from '../../../test/support/stack';
import { offerOf } from '../../../test/support/offers';

const RESOURCE = 'https://probe.example.com/api/v1/hosts/a.example.com/refresh';
const REQUIREMENT = requirementFor(
  offerOf({ method: 'GET', resource: RESOURCE, route: { path: '/refresh', answer: {} } }),
  { network: 'eip155:8453', payTo: '0x1111111111111111111111111111111111111111' },
);
const SETTLEABLE: readonly AttemptState[] = ['answer_stored', 'settling', 'settle_unknown'];
const RESTARTABLE: readonly AttemptState[] = ['rejected', 'work_failed', 'received', 'verified', 'working'];

const lease = (forMs = 60_000): Lease => ({ owner: randomUUID(), forMs });

function claim(): NewAttempt {
  return {
    network: 'eip155:8453',
    asset: REQUIREMENT.asset.toLowerCase(),
    payer: '0x2222222222222222222222222222222222222222',
    nonce: `0x${randomBytes(32).toString('hex')}`,
    payTo: REQUIREMENT.payTo,
    amount: 20_000n,
    validBefore: new Date(Date.now() + 120_000),
    sku: 'host_refresh',
    fingerprint: `GET ${RESOURCE} `,
    resource: RESOURCE,
    payloadDigest: randomBytes(32).toString('hex'),
    paymentIdentifier: null,
    payment: { x402Version: 2, accepted: REQUIREMENT, payload: {} },
    requirement: REQUIREMENT,
  };
}

describe('the ledger in Postgres', () => {
  let database: Database;
  let other: Client;
  let ledger: PaymentRepository;

  beforeAll(async () => {
    const url = await freshDatabase();
    database = new Database(url, { secretsKeys: ['of this test only'] });
    ledger = new PaymentRepository(database);
    other = new Client({ connectionString: url });
    await other.connect();
  });
  afterAll(async () => {
    await other.end();
    await database.close();
  });

  /** A new attempt in state settling, under a lease. */
  async function settling(held: Lease): Promise<Attempt> {
    const { attempt } = await ledger.begin(claim(), held);
    const working = await ledger.move(attempt, held, 'working', { through: 'verified' });
    return (await ledger.move(working!, held, 'settling', { through: 'answer_stored', answer: { body: '{}' } }))!;
  }

  async function historyOf({ id }: Attempt): Promise<readonly string[]> {
    const { rows } = await database.pool.query<{ state: string }>(
      'SELECT state FROM payment_event WHERE attempt_id = $1 ORDER BY seq',
      [id],
    );
    return rows.map(({ state }) => state);
  }

  it('lets exactly one gateway take over an attempt after its lease, and none before', async () => {
    const held = lease();
    const attempt = await settling(held);
    const race = (): Promise<readonly (Attempt | undefined)[]> =>
      Promise.all(Array.from({ length: 20 }, () => ledger.takeOver(attempt, lease(), SETTLEABLE, 'settling')));
    expect((await race()).filter(Boolean)).toEqual([]);
    await ledger.move(attempt, held, 'settle_unknown', { reason: 'settlement_unknown' });
    expect((await race()).filter(Boolean)).toHaveLength(1);
    expect(await ledger.move(attempt, held, 'settled')).toBeUndefined();
    expect(await historyOf(attempt)).toEqual([
      ...['received', 'verified', 'working', 'answer_stored', 'settling', 'settle_unknown', 'settling'],
    ]);
  });

  it('treats a concurrent move as another process at work, not as an error', async () => {
    const attempt = await settling(lease(0));
    await other.query('BEGIN');
    await other.query(
      `WITH moved AS (UPDATE payment_attempt SET state = 'settle_unknown', lease_until = now() WHERE id = $1 RETURNING id)
       INSERT INTO payment_event (attempt_id, seq, state, at) SELECT id, 6, 'settle_unknown', now() FROM moved`,
      [attempt.id],
    );
    const taking = ledger.takeOver(attempt, lease(), SETTLEABLE, 'settling');
    const waiting = `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`;
    while ((await database.pool.query(waiting)).rowCount === 0) await setImmediate();
    await other.query('COMMIT');
    expect(await taking).toBeUndefined();
    expect(await ledger.takeOver(attempt, lease(), SETTLEABLE, 'settling')).toMatchObject({ state: 'settling' });
  });

  it.each([
    ['verified', RESTARTABLE, 'received'],
    ['answer_stored', SETTLEABLE, 'settling'],
  ] as const)('continues an attempt that was left in %s', async (left, from, to) => {
    const { attempt } = await ledger.begin({ ...claim(), validBefore: new Date(0) }, lease(0));
    await database.pool.query(
      `UPDATE payment_attempt SET state = $2, lease_until = now() - interval '1 s', created_at = now() - interval '1 s',
                                   updated_at = now() - interval '1 s' WHERE id = $1`,
      [attempt.id, left],
    );
    const due = (await new OpenPaymentRepository(database).due(100)).map(({ id }) => id);
    expect(due.includes(attempt.id)).toBe(left === 'answer_stored');
    expect(await ledger.takeOver(attempt, lease(0), from, to)).toMatchObject({ state: to });
  });

  it('skips rows that cannot be decrypted or parsed, even if many are due first, and postpones them', async () => {
    const [good, ...bad] = await Promise.all(Array.from({ length: 26 }, () => settling(lease(0))));
    const [sealed, ids] = [new Set(bad.slice(0, 13).map(({ id }) => id)), [good!, ...bad].map(({ id }) => id)];
    await database.pool.query(
      `UPDATE payment_attempt SET created_at = now() - interval '1 h', updated_at = now() - interval '30 min', watch_at = now(),
         answer = CASE WHEN id = ANY($1) THEN 'sealed:AAAA' ELSE answer END,
         payment = CASE WHEN id = ANY($2) THEN '{"sealed":"sealed:AAAA"}' ELSE payment END WHERE id = ANY($3)`,
      [[...sealed], bad.flatMap(({ id }) => (sealed.has(id) ? [] : id)), ids],
    );
    await database.pool.query(
      `UPDATE payment_attempt SET updated_at = updated_at + interval '1 s', watch_at = watch_at + interval '1 ms' WHERE id = $1`,
      [good!.id],
    );
    const unreadable: unknown[] = [];
    const ignored = { expired: () => undefined, surplus: () => undefined };
    const open = new OpenPaymentRepository(database, { ...ignored, unreadable: (error) => unreadable.push(error) });
    for (const read of [() => open.watched(20), () => open.due(20)]) {
      unreadable.length = 0;
      const found: string[] = [];
      for (let batch = await read(); batch.length > 0; batch = await read()) found.push(...batch.map(({ id }) => id));
      expect(found.filter((id) => ids.includes(id))).toEqual([good!.id]);
      expect(unreadable).toHaveLength(bad.length);
    }
  });

  it('ends attempts without an answer after their authorization expired', async () => {
    const lefts = ['received', 'verified', 'working'] as const;
    const claimed = await Promise.all(
      lefts.map(() => ledger.begin({ ...claim(), validBefore: new Date(0) }, lease(0))),
    );
    for (const [at, { attempt }] of claimed.entries()) {
      await database.pool.query('UPDATE payment_attempt SET state = $2 WHERE id = $1', [attempt.id, lefts[at]]);
    }
    expect(await new OpenPaymentRepository(database).closeExpired(new Date())).toBeGreaterThanOrEqual(lefts.length);
    for (const { attempt } of claimed) {
      expect(await ledger.find(attempt.id)).toMatchObject({ state: 'work_failed', reason: 'authorization_expired' });
    }
  });
});
