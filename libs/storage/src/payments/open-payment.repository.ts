import { OPEN_STATES, type Attempt, type Forgettable, type OpenAttempts } from '@app/payments';
import { z } from 'zod';
import type { Database } from '../database/database';
import type { Vault } from '../database/vault';
import { Prisma } from '../generated/client';
import { COLUMNS, FIRST_WATCH, recording } from './payment-row';
import { openAttempt } from './sealed-payment';

/** Called after many attempts were changed at once. */
export interface UpkeepListener {
  /** So many abandoned attempts reached `work_failed` in one statement. */
  expired(count: number): void;
  /** Refused payments were forgotten before their time, because there were too many. */
  surplus(): void;
  /** An attempt was passed over, because no key opens its row. */
  unreadable(error: unknown): void;
}

/** Rows one statement deletes: a long delete would hold up statements that wait for a row. */
const FORGOTTEN_AT_ONCE = 5_000;

/**
 * What is done to attempts that no request drives, many at a time: found, ended, forgotten. The steps of one
 * attempt are in `PaymentRepository`.
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

  /** The pause between two tries grows with the attempt's age, so that an outage of hours does not fill the history. */
  async due(limit: number): Promise<readonly Attempt[]> {
    const which = Prisma.sql`state IN ('answer_stored', 'settling', 'settle_unknown') AND lease_until <= now()
      AND updated_at + least((updated_at - created_at) / 4, interval '10 minutes') <= now() ORDER BY updated_at`;
    return this.take(Prisma.sql`updated_at = now()`, which, limit);
  }

  /**
   * Rows go to the end of their line as they are read, for a pause that grows: so those that no key opens, or whose work
   * fails each time, never stand before others.
   */
  private async take(later: Prisma.Sql, which: Prisma.Sql, limit: number): Promise<readonly Attempt[]> {
    const vault = await this.database.secrets.vault();
    for (;;) {
      // SQL: what another gateway reads meanwhile is passed over.
      const rows = await this.database.prisma.$queryRaw<unknown[]>`
        UPDATE payment_attempt SET ${later} WHERE id IN (
          SELECT id FROM payment_attempt WHERE ${which} LIMIT ${limit} FOR UPDATE SKIP LOCKED) RETURNING ${COLUMNS}`;
      const attempts = this.readable(vault, rows);
      if (attempts.length > 0 || rows.length === 0) return attempts;
    }
  }

  async closeExpired(before: Date): Promise<number> {
    // SQL: history and notices are written in the statement that ends the attempts.
    const closed = await this.database.prisma.$executeRaw`
      WITH moved AS (
        UPDATE payment_attempt SET state = 'work_failed', reason = 'authorization_expired', updated_at = now()
        WHERE state IN ('received', 'verified', 'working') AND lease_until <= now() AND valid_before < ${before}
        RETURNING *)${recording(Prisma.sql`id`)}`;
    if (closed > 0) this.listener?.expired(closed);
    return closed;
  }

  /** Attempts of rows that were read together: one that no key opens stops no others. */
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

  /** Asks for one event at a time, by its index: gateways do this every few seconds, and a ledger is long. */
  async forgetUncharged({ unverified, kept, verified }: Forgettable): Promise<number> {
    const ended = Prisma.sql`state IN ('rejected', 'work_failed')`;
    for (let forgotten = 0; ;) {
      // SQL: attempts go with their history, many at once, and those that a gateway is at are passed over.
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

  /** Attempts that are not at an end, by state; a state without any is missing. */
  async openByState(): Promise<Readonly<Partial<Record<(typeof OPEN_STATES)[number], number>>>> {
    const { paymentAttempt } = this.database.prisma;
    const where = { state: { in: [...OPEN_STATES] } };
    const counts = await paymentAttempt.groupBy({ by: ['state'], where, _count: true });
    return Object.fromEntries(counts.map(({ state, _count }) => [state, _count]));
  }
}
