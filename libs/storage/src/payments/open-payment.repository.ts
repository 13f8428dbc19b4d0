import { OPEN_STATES, type Attempt, type Forgettable, type OpenAttempts } from '@app/payments';
import { z } from 'zod';
import type { Database } from '../database/database';
import type { Vault } from '../database/vault';
import { Prisma } from '../generated/client';
import { COLUMNS, FIRST_WATCH, recording } from './payment-row';
import { openAttempt } from './sealed-payment';

/** Called after changes of many attempts. */
export interface UpkeepListener {
  /** This many abandoned attempts reached `work_failed` in one statement. */
  expired(count: number): void;
  /** Refused payments were deleted early, because there were too many. */
  surplus(): void;
  /** An attempt was skipped, because no key decrypts its row. */
  unreadable(error: unknown): void;
}

/** How many rows one statement deletes: a longer one would block others that wait for a row. */
const FORGOTTEN_AT_ONCE = 5_000;

/**
 * Finds, ends and deletes attempts that no request drives, in batches. The steps of a single attempt are in
 * `PaymentRepository`.
 */
export class OpenPaymentRepository implements OpenAttempts {
  constructor(
    private readonly database: Database,
    private readonly listener?: UpkeepListener,
  ) {}

  async watched(limit: number): Promise<readonly Attempt[]> {
    const pause = Prisma.sql`least(2 * greatest(now() - updated_at, ${FIRST_WATCH}), interval '20 minutes')`;
    return this.take(Prisma.sql`watch_at = now() + ${pause}`, Prisma.sql`watch_at <= now() ORDER BY watch_at`, limit);
  }

  /** The pause between two tries grows with the attempt's age, so that a long outage does not fill the history. */
  async due(limit: number): Promise<readonly Attempt[]> {
    const which = Prisma.sql`state IN ('answer_stored', 'settling', 'settle_unknown') AND lease_until <= now()
      AND updated_at + least((updated_at - created_at) / 4, interval '10 minutes') <= now() ORDER BY updated_at`;
    return this.take(Prisma.sql`updated_at = now()`, which, limit);
  }

  /**
   * Postpones rows as it reads them, for a growing pause, so that rows that cannot be decrypted or whose work fails do
   * not block the others.
   */
  private async take(later: Prisma.Sql, which: Prisma.Sql, limit: number): Promise<readonly Attempt[]> {
    const vault = await this.database.secrets.vault();
    for (;;) {
      // Uses SQL to skip rows that another gateway is reading.
      const rows = await this.database.prisma.$queryRaw<unknown[]>`
        UPDATE payment_attempt SET ${later} WHERE id IN (
          SELECT id FROM payment_attempt WHERE ${which} LIMIT ${limit} FOR UPDATE SKIP LOCKED) RETURNING ${COLUMNS}`;
      const attempts = this.readable(vault, rows);
      if (attempts.length > 0 || rows.length === 0) return attempts;
    }
  }

  async closeExpired(before: Date): Promise<number> {
    // Uses SQL to write history and notifications in the same statement.
    const closed = await this.database.prisma.$executeRaw`
      WITH moved AS (
        UPDATE payment_attempt SET state = 'work_failed', reason = 'authorization_expired', updated_at = now()
        WHERE state IN ('received', 'verified', 'working') AND lease_until <= now() AND valid_before < ${before}
        RETURNING *)${recording(Prisma.sql`id`)}`;
    if (closed > 0) this.listener?.expired(closed);
    return closed;
  }

  /** Converts rows to attempts, skipping any that no key decrypts. */
  private readable(vault: Vault, rows: readonly unknown[]): readonly Attempt[] {
    return rows.flatMap((row) => {
      try {
        return openAttempt(vault, row);
      } catch (error) {
        this.listener?.unreadable(error);
        return [];
      }
    });
  }

  /** Looks up one event at a time, by index, because gateways do this every few seconds and a ledger is long. */
  async forgetUncharged({ unverified, kept, verified }: Forgettable): Promise<number> {
    const ended = Prisma.sql`state IN ('rejected', 'work_failed')`;
    for (let forgotten = 0; ;) {
      // Uses SQL to delete many attempts with their history, and to skip those in use by a gateway.
      const gone = await this.database.prisma.$queryRaw`
        WITH beyond AS (
          SELECT updated_at, id FROM payment_attempt WHERE ${ended} ORDER BY updated_at DESC, id DESC OFFSET ${kept} LIMIT 1),
        gone AS (
          SELECT a.id, coalesce((a.updated_at, a.id) <= (beyond.updated_at, beyond.id), false) AS surplus
          FROM payment_attempt a LEFT JOIN beyond ON true
          WHERE ${ended} AND lease_until <= now() AND ((a.updated_at, a.id) <= (beyond.updated_at, beyond.id)
            OR a.updated_at < ${verified} OR (a.updated_at < ${unverified} AND NOT EXISTS (
              SELECT FROM payment_event WHERE attempt_id = a.id AND payment_event.state = 'verified')))
          LIMIT ${FORGOTTEN_AT_ONCE} FOR UPDATE OF a SKIP LOCKED),
        events AS (DELETE FROM payment_event USING gone WHERE attempt_id = gone.id)
        DELETE FROM payment_attempt USING gone WHERE payment_attempt.id = gone.id RETURNING gone.surplus`;
      const rows = z.array(z.object({ surplus: z.boolean() })).parse(gone);
      if (rows.some(({ surplus }) => surplus)) this.listener?.surplus();
      forgotten += rows.length;
      if (rows.length < FORGOTTEN_AT_ONCE) return forgotten;
    }
  }

  /** The number of unfinished attempts by state; states without any are missing. */
  async openByState(): Promise<Readonly<Partial<Record<(typeof OPEN_STATES)[number], number>>>> {
    const { paymentAttempt } = this.database.prisma;
    const where = { state: { in: [...OPEN_STATES] } };
    const counts = await paymentAttempt.groupBy({ by: ['state'], where, _count: true });
    return Object.fromEntries(counts.map(({ state, _count }) => [state, _count]));
  }
}
