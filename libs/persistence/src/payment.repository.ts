import { randomUUID } from 'node:crypto';
import {
  PaymentConflictError,
  type Attempt,
  type AttemptState,
  type AuthorizationKey,
  type Change,
  type Claim,
  type Lease,
  type OpenAttempts,
  type PaymentLedger,
  type Settlement,
} from '@app/payments';
import type { QueryResult } from 'pg';
import type { Database } from './database';

interface Row {
  id: string;
  network: string;
  asset: string;
  payer: string;
  nonce: string;
  pay_to: string;
  amount: string;
  valid_before: Date;
  sku: string;
  fingerprint: string;
  resource: string;
  payload_digest: string;
  payment_identifier: string | null;
  state: AttemptState;
  reason: string | null;
  payment: Attempt['payment'];
  requirement: Attempt['requirement'];
  answer: string | null;
  settlement: Settlement | null;
  created_at: Date;
  updated_at: Date;
}

const COLUMNS = `id, network, asset, payer, nonce, pay_to, amount::text, valid_before, sku, fingerprint, resource,
  payload_digest, payment_identifier, state, reason, payment, requirement, answer, settlement, created_at, updated_at`;

/**
 * States whose loss in a crash of the database costs nobody money: before any is sent the buyer tries again, and after
 * `settled` is lost the row is `settling` with its answer, for which the chain says that the money came.
 */
const NOT_AWAITED = `('received', 'working', 'settled')`;

/**
 * Appends the states entered to the row's history; completes a statement whose first part is `moved`. Whoever waits is
 * told when nobody drives the attempt any more. The commit of `settling` waits for the disk, and so answer and intent
 * are on it before the money is sent.
 * @param columns what the statement answers with
 * @param passed SQL of the state passed on the way, NULL for none
 */
const recording = (columns: string, passed = 'NULL'): string => `, logged AS (
    INSERT INTO payment_event (attempt_id, seq, state, reason, at)
    SELECT id, (SELECT coalesce(max(seq), 0) FROM payment_event WHERE attempt_id = moved.id) + step.seq, step.state,
      CASE WHEN step.state = moved.state THEN reason END, now()
    FROM moved, unnest(array_remove(ARRAY[${passed}, moved.state], NULL)) WITH ORDINALITY AS step (state, seq))
  SELECT ${columns},
    CASE WHEN lease_until <= now() THEN pg_notify('payment_changed', id::text) END,
    CASE WHEN state IN ${NOT_AWAITED} THEN set_config('synchronous_commit', 'off', true) END
  FROM moved`;

/** The ledger in Postgres. Every transition is one statement that only succeeds from the state and lease it names. */
export class PaymentRepository implements PaymentLedger, OpenAttempts {
  constructor(private readonly database: Database) {}

  async claim(claim: Claim, lease: Lease): Promise<{ readonly attempt: Attempt; readonly owned: boolean }> {
    for (;;) {
      const inserted = await this.query(
        'payment_claim',
        `WITH moved AS (
           INSERT INTO payment_attempt (id, network, asset, payer, nonce, pay_to, amount, valid_before, sku, fingerprint,
             resource, payload_digest, payment_identifier, state, payment, requirement, lease_owner, lease_until,
             created_at, updated_at)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 'received', $14, $15, $16,
             now() + $17 * interval '1 millisecond', now(), now())
           ON CONFLICT (network, asset, payer, nonce) DO NOTHING RETURNING *)${recording(COLUMNS)}`,
        [
          randomUUID(),
          claim.network,
          claim.asset,
          claim.payer,
          claim.nonce,
          claim.payTo,
          claim.amount.toString(),
          claim.validBefore,
          claim.sku,
          claim.fingerprint,
          claim.resource,
          claim.payloadDigest,
          claim.paymentIdentifier,
          JSON.stringify(claim.payment),
          JSON.stringify(claim.requirement),
          lease.owner,
          lease.forMs,
        ],
      );
      if (inserted) return { attempt: inserted, owned: true };
      const known = await this.findByAuthorization(claim);
      if (known) return { attempt: known, owned: false };
    }
  }

  async find(id: string): Promise<Attempt | undefined> {
    return this.query('payment_find', `SELECT ${COLUMNS} FROM payment_attempt WHERE id = $1`, [id]);
  }

  async findByAuthorization({ network, asset, payer, nonce }: AuthorizationKey): Promise<Attempt | undefined> {
    return this.query(
      'payment_by_authorization',
      `SELECT ${COLUMNS} FROM payment_attempt WHERE network = $1 AND asset = $2 AND payer = $3 AND nonce = $4`,
      [network, asset, payer, nonce],
    );
  }

  async move(attempt: Attempt, lease: Lease, to: AttemptState, change: Change = {}): Promise<Attempt | undefined> {
    const { through = null, reason = null, answer = attempt.answer, settlement = attempt.settlement } = change;
    const { rows } = await this.send(
      'payment_move',
      `WITH moved AS (
         UPDATE payment_attempt
         SET state = $4, reason = $5, answer = coalesce($6, answer), settlement = coalesce($7, settlement),
             lease_until = now() + $8 * interval '1 millisecond', updated_at = now()
         WHERE id = $1 AND state = $3 AND lease_owner = $2
         RETURNING id, state, reason, lease_until, updated_at)${recording('updated_at', '$9::text')}`,
      [
        attempt.id,
        lease.owner,
        attempt.state,
        to,
        reason,
        change.answer ?? null,
        change.settlement ? JSON.stringify(change.settlement) : null,
        DRIVEN.has(to) ? lease.forMs : 0,
        through,
      ],
    ).catch((error: unknown) => {
      throw breaks(error, IDENTIFIER_KEY) ? new PaymentConflictError('payment_identifier_used') : error;
    });
    // Who holds the lease knows the rest of the row: nobody else may have changed it.
    const [moved] = rows;
    return moved && { ...attempt, state: to, reason, answer, settlement, reachedAt: moved.updated_at };
  }

  async takeOver(
    id: string,
    lease: Lease,
    from: readonly AttemptState[],
    to: AttemptState,
  ): Promise<Attempt | undefined> {
    return this.query(
      'payment_take_over',
      `WITH moved AS (
         UPDATE payment_attempt
         SET state = $4, lease_owner = $2, lease_until = now() + $5 * interval '1 millisecond', updated_at = now()
         WHERE id = $1 AND state = ANY($3) AND lease_until <= now() RETURNING *)${recording(COLUMNS)}`,
      [id, lease.owner, from, to, lease.forMs],
    );
  }

  /** The pause between two tries grows with the attempt's age, so that an outage of hours does not fill the history. */
  async due(limit: number): Promise<readonly Attempt[]> {
    const { rows } = await this.database.pool.query<Row>(
      `SELECT ${COLUMNS} FROM payment_attempt
       WHERE state IN ('answer_stored', 'settling', 'settle_unknown') AND lease_until <= now()
         AND updated_at + least((updated_at - created_at) / 4, interval '10 minutes') <= now()
       ORDER BY updated_at LIMIT $1`,
      [limit],
    );
    return rows.map(toAttempt);
  }

  async closeExpired(before: Date): Promise<number> {
    const { rowCount } = await this.database.pool.query(
      `WITH moved AS (
         UPDATE payment_attempt SET state = 'work_failed', reason = 'authorization_expired', updated_at = now()
         WHERE state IN ('received', 'verified', 'working') AND lease_until <= now() AND valid_before < $1
         RETURNING *)${recording('id')}`,
      [before],
    );
    return rowCount ?? 0;
  }

  /** Attempts that are not at an end, by state; a state without any is missing. */
  async openByState(): Promise<Readonly<Partial<Record<AttemptState, number>>>> {
    const { rows } = await this.database.pool.query<{ state: AttemptState; count: number }>(
      `SELECT state, count(*)::int AS count FROM payment_attempt
       WHERE state IN ('received', 'verified', 'working', 'answer_stored', 'settling', 'settle_unknown')
       GROUP BY state`,
    );
    return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
  }

  private async query(name: string, text: string, values: readonly unknown[]): Promise<Attempt | undefined> {
    const { rows } = await this.send(name, text, values);
    return rows[0] && toAttempt(rows[0]);
  }

  /** @param name under which each connection keeps the plan: a sale makes four of these statements. */
  private async send(name: string, text: string, values: readonly unknown[]): Promise<Pick<QueryResult<Row>, 'rows'>> {
    try {
      return await this.database.pool.query<Row>({ name, text, values: [...values] });
    } catch (error) {
      // A transition that waited for another one of the row to commit counts the history without it: that one goes before.
      if (breaks(error, HISTORY_KEY)) return { rows: [] };
      throw error;
    }
  }
}

/** States that somebody who moves an attempt goes on driving it in; reaching any other gives the lease up. */
const DRIVEN: ReadonlySet<AttemptState> = new Set(['working', 'settling']);

/** The partial unique index over payer and identifier. */
const IDENTIFIER_KEY = 'payment_attempt_identifier_key';
/** Number of an event in the history of its attempt. */
const HISTORY_KEY = 'payment_event_pkey';

/** Whether a statement failed because of a constraint; Postgres names it in the error. */
function breaks(error: unknown, constraint: string): boolean {
  return error instanceof Error && 'constraint' in error && error.constraint === constraint;
}

function toAttempt(row: Row): Attempt {
  return {
    id: row.id,
    network: row.network,
    asset: row.asset,
    payer: row.payer,
    nonce: row.nonce,
    payTo: row.pay_to,
    amount: BigInt(row.amount),
    validBefore: row.valid_before,
    sku: row.sku,
    fingerprint: row.fingerprint,
    resource: row.resource,
    payloadDigest: row.payload_digest,
    paymentIdentifier: row.payment_identifier,
    state: row.state,
    reason: row.reason,
    payment: row.payment,
    requirement: row.requirement,
    answer: row.answer,
    settlement: row.settlement,
    createdAt: row.created_at,
    reachedAt: row.updated_at,
  };
}
