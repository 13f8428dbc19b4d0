import { randomUUID } from 'node:crypto';
import {
  PaymentConflictError,
  type Attempt,
  type AttemptState,
  type AuthorizationKey,
  type Change,
  type NewAttempt,
  type Lease,
  type PaymentLedger,
} from '@app/payments';
import { z } from 'zod';
import { KEEP_PLAN, type Database } from '../database/database';
import { Prisma } from '../generated/client';
import { BOUND_TO, boundTo, COLUMNS, FIRST_WATCH, recording, watchFrom } from './payment-row';
import { hashOfName, openAttempt, sealAnswer, sealSettlement } from './sealed-payment';

/** Called about state changes after their commit. */
export interface LedgerListener {
  /** An attempt reached its `state`, finally or as an intermediate state. */
  reached(attempt: Attempt): void;
}

/**
 * The ledger in Postgres. Every transition is one statement that only succeeds from the expected state and lease, and
 * writes history and notification too; this, and the database's clock for leases, require SQL. Payments, requests and
 * answers are encrypted, and of purchase names only keyed hashes are stored.
 */
export class PaymentRepository implements PaymentLedger {
  constructor(
    private readonly database: Database,
    private readonly listener?: LedgerListener,
  ) {}

  async begin(payment: NewAttempt, lease: Lease): Promise<{ readonly attempt: Attempt; readonly owned: boolean }> {
    const { network, asset, payer, nonce } = payment;
    const vault = await this.database.secrets.vault();
    for (;;) {
      const inserted = await this.reach(Prisma.sql`
        INSERT INTO payment_attempt (id, network, asset, payer, nonce, ${BOUND_TO}, state, lease_owner, lease_until,
          created_at, updated_at)
        VALUES (${randomUUID()}::uuid, ${network}, ${asset}, ${payer}, ${nonce}, ${boundTo(vault, payment)}, 'received',
          ${lease.owner}, ${until(lease.forMs)}, now(), now())
        ON CONFLICT (network, asset, payer, nonce) DO NOTHING RETURNING *`);
      if (inserted) return { attempt: inserted, owned: true };
      const known = await this.findByAuthorization(payment);
      if (known) return { attempt: known, owned: false };
    }
  }

  async find(id: string): Promise<Attempt | undefined> {
    return this.opened(await this.database.prisma.paymentAttempt.findUnique({ where: { id } }));
  }

  async findByAuthorization({ network, asset, payer, nonce }: AuthorizationKey): Promise<Attempt | undefined> {
    const where = { network_asset_payer_nonce: { network, asset, payer, nonce } };
    return this.opened(await this.database.prisma.paymentAttempt.findUnique({ where }));
  }

  async move(attempt: Attempt, lease: Lease, to: AttemptState, change: Change = {}): Promise<Attempt | undefined> {
    const { through = null, reason = null, answer = attempt.answer, settlement = attempt.settlement } = change;
    const vault = await this.database.secrets.vault();
    const sealed = {
      answer: change.answer === undefined ? null : sealAnswer(vault, attempt, change.answer),
      settlement: change.settlement ? sealSettlement(vault, attempt, change.settlement) : null,
    };
    const rows = await this.send(
      Prisma.sql`
      WITH moved AS (
        UPDATE payment_attempt
        SET state = ${to}, reason = ${reason}, answer = coalesce(${sealed.answer}, answer),
          settlement = coalesce(${sealed.settlement}::json, settlement),
          lease_until = ${until(DRIVEN.has(to) ? lease.forMs : 0)}, updated_at = now(), watch_at = ${watchFrom(to)}
        WHERE id = ${attempt.id}::uuid AND state = ${attempt.state} AND lease_owner = ${lease.owner}
        RETURNING id, state, reason, lease_until, updated_at)
      ${recording(Prisma.sql`updated_at AS "reachedAt"`, through)}`,
    ).catch((error: unknown) => {
      throw breaks(error, IDENTIFIER_KEY) ? new PaymentConflictError('payment_identifier_used') : error;
    });
    // The lease holder knows the rest of the row, because no other process may change it.
    const [row] = Reached.parse(rows);
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
    const named =
      identifier === undefined
        ? Prisma.empty
        : Prisma.sql`, payment_identifier = ${name},
            named_first = named_first AND payment_identifier IS NOT DISTINCT FROM ${name}`;
    return this.reach(Prisma.sql`
      UPDATE payment_attempt
      SET state = ${to}, lease_owner = ${lease.owner}, lease_until = ${until(lease.forMs)}, updated_at = now()${named}
      WHERE id = ${id}::uuid AND payload_digest = ${payloadDigest} AND state = ANY(${from}) AND lease_until <= now()
      RETURNING *`);
  }

  async rebind(id: string, payment: NewAttempt, lease: Lease): Promise<Attempt | 'bound' | undefined> {
    const vault = await this.database.secrets.vault();
    const rebound = await this.reach(Prisma.sql`
      UPDATE payment_attempt
      SET (${BOUND_TO}) = ROW(${boundTo(vault, payment)}), named_first = true, state = 'received', reason = NULL,
        lease_owner = ${lease.owner}, lease_until = ${until(lease.forMs)}, updated_at = now()
      WHERE id = ${id}::uuid AND lease_until <= now()
        AND NOT EXISTS (SELECT FROM payment_event WHERE attempt_id = ${id}::uuid AND state = 'verified')
      RETURNING *`);
    if (rebound) return rebound;
    const where = { attemptId: id, state: 'verified' };
    return (await this.database.prisma.paymentEvent.findFirst({ where })) ? 'bound' : undefined;
  }

  async revise(attempt: Attempt, to: AttemptState, change: Change): Promise<Attempt | undefined> {
    const { reason = null, settlement } = change;
    const sealed = settlement ? sealSettlement(await this.database.secrets.vault(), attempt, settlement) : null;
    return this.reach(Prisma.sql`
      UPDATE payment_attempt
      SET state = ${to}, reason = ${reason}, settlement = coalesce(${sealed}::json, settlement), lease_until = now(),
        updated_at = now(), watch_at = ${watchFrom(to)}
      WHERE id = ${attempt.id}::uuid AND state = ${attempt.state} AND lease_until <= now()
      RETURNING *`);
  }

  async watch({ id, state }: Attempt, over: boolean): Promise<void> {
    // After a day, nothing that a node could report changes any more. Uses SQL, because the pause grows with the age of
    // the state by the database's clock.
    const goesOn = Prisma.sql`(NOT ${over}::boolean AND updated_at > now() - interval '1 day')`;
    await this.database.prisma.$executeRaw`
      UPDATE payment_attempt
      SET watch_at = CASE WHEN ${goesOn} THEN
          now() + least(2 * greatest(now() - updated_at, ${FIRST_WATCH}), interval '20 minutes') END,
        answer = CASE WHEN state = 'settled' OR ${goesOn} THEN answer END
      WHERE id = ${id}::uuid AND state = ${state}`;
  }

  /** Runs a transition and returns the changed row, if there was one. */
  private async reach(transition: Prisma.Sql): Promise<Attempt | undefined> {
    const [row] = await this.send(Prisma.sql`WITH moved AS (${transition}) ${recording(COLUMNS)}`);
    const attempt = await this.opened(row);
    if (attempt) this.listener?.reached(attempt);
    return attempt;
  }

  private async opened(row: unknown): Promise<Attempt | undefined> {
    return row ? openAttempt(await this.database.secrets.vault(), row) : undefined;
  }

  /**
   * Uses SQL: a transition succeeds from the expected state and lease or not at all, and its history is written with
   * it.
   */
  private async send(statement: Prisma.Sql): Promise<readonly unknown[]> {
    try {
      return await this.database.prisma.$queryRaw<unknown[]>`${KEEP_PLAN} ${statement}`;
    } catch (error) {
      // If a concurrent transition of the row committed while this one waited, the history number is taken; the other
      // one wins.
      if (breaks(error, HISTORY_KEY)) return [];
      throw error;
    }
  }
}

const Reached = z.array(z.object({ reachedAt: z.date() }));

/** SQL for the end of a lease by the database's clock, which all gateways share. */
const until = (forMs: number): Prisma.Sql => Prisma.sql`now() + ${forMs} * interval '1 millisecond'`;

/** States in which the process that moved an attempt keeps driving it. Any other state releases the lease. */
const DRIVEN: ReadonlySet<AttemptState> = new Set(['working', 'settling']);

/** The partial unique index over payer and identifier. */
const IDENTIFIER_KEY = 'payment_attempt_identifier_key';
/** The sequence number of an event in the history of its attempt. */
const HISTORY_KEY = 'payment_event_pkey';

interface BrokenConstraint {
  readonly meta?: { readonly driverAdapterError?: { readonly cause?: { readonly constraint?: { index?: unknown } } } };
}

/** Whether a statement violated a unique index. Postgres names the index in the error, and Prisma passes it on. */
function breaks(error: unknown, index: string): boolean {
  return (Object(error) as BrokenConstraint).meta?.driverAdapterError?.cause?.constraint?.index === index;
}
