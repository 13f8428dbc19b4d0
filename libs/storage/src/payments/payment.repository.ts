import { randomUUID } from 'node:crypto';
import {
  PaymentConflictError,
  type Attempt,
  type AttemptState,
  type AuthorizationKey,
  type Change,
  type Claim,
  type Lease,
  type PaymentLedger,
} from '@app/payments';
import type { QueryResult } from 'pg';
import type { Database } from '../database/database';
import { boundTo, COLUMNS, FIRST_WATCH, recording, watchFrom } from './payment-row';
import { hashOfName, openAttempt, sealAnswer, sealSettlement, type StoredAttempt } from './sealed-payment';

/** Told of what attempts have reached, once it is committed. */
export interface LedgerListener {
  /** An attempt reached its `state`, or passed it on the way to another. */
  reached(attempt: Attempt): void;
}

/**
 * The ledger in Postgres. Every transition is one statement that only succeeds from the state and lease it names and
 * writes history and notice along: that, and the database's clock for leases, is why it is SQL. Payments, requests and
 * answers are sealed, and of the names of purchases only keyed hashes are stored.
 */
export class PaymentRepository implements PaymentLedger {
  constructor(
    private readonly database: Database,
    private readonly listener?: LedgerListener,
  ) {}

  async claim(claim: Claim, lease: Lease): Promise<{ readonly attempt: Attempt; readonly owned: boolean }> {
    const vault = await this.database.secrets.vault();
    for (;;) {
      const inserted = await this.query(
        'payment_claim',
        `WITH moved AS (
           INSERT INTO payment_attempt (id, network, asset, payer, nonce, pay_to, amount, valid_before, sku, resource,
             payload_digest, payment_identifier, state, payment, lease_owner, lease_until, created_at, updated_at)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 'received', $13, $14,
             now() + $15 * interval '1 millisecond', now(), now())
           ON CONFLICT (network, asset, payer, nonce) DO NOTHING RETURNING *)${recording(COLUMNS)}`,
        [
          randomUUID(),
          claim.network,
          claim.asset,
          claim.payer,
          claim.nonce,
          ...boundTo(vault, claim),
          lease.owner,
          lease.forMs,
        ],
      );
      if (inserted) {
        this.listener?.reached(inserted);
        return { attempt: inserted, owned: true };
      }
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
    const vault = await this.database.secrets.vault();
    const { rows } = await this.send(
      'payment_move',
      `WITH moved AS (
         UPDATE payment_attempt
         SET state = $4::text, reason = $5, answer = coalesce($6, answer), settlement = coalesce($7, settlement),
             lease_until = now() + $8 * interval '1 millisecond', updated_at = now(), watch_at = ${watchFrom('$4::text')}
         WHERE id = $1 AND state = $3 AND lease_owner = $2
         RETURNING id, state, reason, lease_until, updated_at)${recording('updated_at AS "reachedAt"', '$9::text')}`,
      [
        attempt.id,
        lease.owner,
        attempt.state,
        to,
        reason,
        change.answer === undefined ? null : sealAnswer(vault, attempt, change.answer),
        change.settlement ? sealSettlement(vault, attempt, change.settlement) : null,
        DRIVEN.has(to) ? lease.forMs : 0,
        through,
      ],
    ).catch((error: unknown) => {
      throw breaks(error, IDENTIFIER_KEY) ? new PaymentConflictError('payment_identifier_used') : error;
    });
    // The holder of the lease knows the rest of the row: no other process may have changed it.
    const [row] = rows;
    if (!row) return undefined;
    const watched = to === 'settled' || to === 'settle_failed';
    const moved = { ...attempt, state: to, reason, answer, settlement, watched, reachedAt: row.reachedAt };
    if (through !== null) this.listener?.reached({ ...moved, state: through });
    this.listener?.reached(moved);
    return moved;
  }

  async takeOver(
    { id, payloadDigest }: Pick<Attempt, 'id' | 'payloadDigest'>,
    lease: Lease,
    from: readonly AttemptState[],
    to: AttemptState,
    identifier?: string | null,
  ): Promise<Attempt | undefined> {
    const name = hashOfName(await this.database.secrets.vault(), identifier ?? null);
    const taken = await this.query(
      'payment_take_over',
      `WITH moved AS (
         UPDATE payment_attempt
         SET state = $4, lease_owner = $2, lease_until = now() + $5 * interval '1 millisecond', updated_at = now(),
             payment_identifier = CASE WHEN $6 THEN $7 ELSE payment_identifier END,
             named_first = named_first AND (NOT $6 OR payment_identifier IS NOT DISTINCT FROM $7)
         WHERE id = $1 AND payload_digest = $8 AND state = ANY($3) AND lease_until <= now()
         RETURNING *)${recording(COLUMNS)}`,
      [id, lease.owner, from, to, lease.forMs, identifier !== undefined, name, payloadDigest],
    );
    if (taken) this.listener?.reached(taken);
    return taken;
  }

  async rebind(id: string, claim: Claim, lease: Lease): Promise<Attempt | 'bound' | undefined> {
    const verified = `EXISTS (SELECT FROM payment_event WHERE attempt_id = $1 AND state = 'verified')`;
    const vault = await this.database.secrets.vault();
    const rebound = await this.query(
      'payment_rebind',
      `WITH moved AS (
         UPDATE payment_attempt
         SET pay_to = $2, amount = $3, valid_before = $4, sku = $5, resource = $6, payload_digest = $7,
             payment_identifier = $8, named_first = true, payment = $9,
             state = 'received', reason = NULL, lease_owner = $10, lease_until = now() + $11 * interval '1 millisecond', updated_at = now()
         WHERE id = $1 AND lease_until <= now() AND NOT ${verified} RETURNING *)${recording(COLUMNS)}`,
      [id, ...boundTo(vault, claim), lease.owner, lease.forMs],
    );
    if (rebound) {
      this.listener?.reached(rebound);
      return rebound;
    }
    const { rowCount } = await this.database.pool.query(`SELECT WHERE ${verified}`, [id]);
    return rowCount === 1 ? 'bound' : undefined;
  }

  async revise(attempt: Attempt, to: AttemptState, change: Change): Promise<Attempt | undefined> {
    const { reason = null, settlement } = change;
    const vault = await this.database.secrets.vault();
    const revised = await this.query(
      'payment_revise',
      `WITH moved AS (
         UPDATE payment_attempt
         SET state = $3::text, reason = $4, settlement = coalesce($5, settlement), lease_until = now(),
             updated_at = now(), watch_at = ${watchFrom('$3::text')}
         WHERE id = $1 AND state = $2 AND lease_until <= now() RETURNING *)${recording(COLUMNS)}`,
      [attempt.id, attempt.state, to, reason, settlement ? sealSettlement(vault, attempt, settlement) : null],
    );
    if (revised) this.listener?.reached(revised);
    return revised;
  }

  async watch({ id, state }: Attempt, over: boolean): Promise<void> {
    const goesOn = `(NOT $3 AND updated_at > now() - ${WATCHED_FOR})`;
    await this.database.pool.query(
      `UPDATE payment_attempt
       SET watch_at = CASE WHEN ${goesOn} THEN
           now() + least(2 * greatest(now() - updated_at, ${FIRST_WATCH}), interval '20 minutes') END,
         answer = CASE WHEN state = 'settled' OR ${goesOn} THEN answer END
       WHERE id = $1 AND state = $2`,
      [id, state, over],
    );
  }

  private async query(name: string, text: string, values: readonly unknown[]): Promise<Attempt | undefined> {
    const vault = await this.database.secrets.vault();
    const { rows } = await this.send(name, text, values);
    return rows[0] && openAttempt(vault, rows[0]);
  }

  /** @param name under which each connection keeps the plan: a sale makes four of these statements. */
  private async send(
    name: string,
    text: string,
    values: readonly unknown[],
  ): Promise<Pick<QueryResult<StoredAttempt>, 'rows'>> {
    try {
      return await this.database.pool.query<StoredAttempt>({ name, text, values: [...values] });
    } catch (error) {
      // A transition that waited for another one of the row to commit counts the history without it: that one goes before.
      if (breaks(error, HISTORY_KEY)) return { rows: [] };
      throw error;
    }
  }
}

/** After a day nothing changes any more that a node could tell. */
const WATCHED_FOR = `interval '1 day'`;

/** States in which the process that moved an attempt goes on driving it; reaching any other gives the lease up. */
const DRIVEN: ReadonlySet<AttemptState> = new Set(['working', 'settling']);

/** The partial unique index over payer and identifier. */
const IDENTIFIER_KEY = 'payment_attempt_identifier_key';
/** Number of an event in the history of its attempt. */
const HISTORY_KEY = 'payment_event_pkey';

/** Whether a statement failed because of a constraint; Postgres names it in the error. */
function breaks(error: unknown, constraint: string): boolean {
  return error instanceof Error && 'constraint' in error && error.constraint === constraint;
}
