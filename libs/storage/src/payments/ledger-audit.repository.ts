import { ATTEMPT_STATES, TRANSACTION_CORRECTED, TRANSFER_VANISHED, type LedgerEntry } from '@app/payments';
import { z } from 'zod';
import type { Database } from '../database/database';

/** Which payments are audited. Addresses in any case. */
export interface LedgerScope {
  readonly network: string;
  readonly asset: string;
  readonly payTo: string;
}

const Entries = z.array(
  z.object({
    ...{ id: z.string(), network: z.string(), asset: z.string(), payer: z.string(), nonce: z.string() },
    state: z.enum(ATTEMPT_STATES),
    amount: z.string().transform(BigInt),
    transaction: z.string().nullable(),
    answered: z.boolean(),
    timesSettled: z.int(),
  }),
);

/** Reads the ledger for comparison with the chain, without changing it. */
export class LedgerAuditRepository {
  constructor(private readonly database: Database) {}

  /** When the first attempt was created; undefined for an empty ledger. */
  async oldest({ network, asset, payTo }: LedgerScope): Promise<Date | undefined> {
    const inAnyCase = (address: string) => ({ equals: address, mode: 'insensitive' as const });
    const where = { network, asset: inAnyCase(asset), payTo: inAnyCase(payTo) };
    const { _min } = await this.database.prisma.paymentAttempt.aggregate({ where, _min: { createdAt: true } });
    return _min.createdAt ?? undefined;
  }

  /** Attempts that were open between two times: created before `until`, and ended after `since` or not yet. */
  async entries({ network, asset, payTo }: LedgerScope, since: Date, until: Date): Promise<readonly LedgerEntry[]> {
    // Uses SQL to count the history without reading the answers, which are long.
    const entries = await this.database.prisma.$queryRaw`
      SELECT id, network, asset, payer, nonce, state, amount::text, settlement->>'transaction' AS transaction,
        coalesce(answer, '') <> '' AS answered,
        (SELECT (count(*) FILTER (WHERE state = 'settled' AND reason IS DISTINCT FROM ${TRANSACTION_CORRECTED})
                 - count(*) FILTER (WHERE reason = ${TRANSFER_VANISHED}))::int
         FROM payment_event WHERE attempt_id = a.id) AS "timesSettled"
      FROM payment_attempt a
      WHERE network = ${network} AND lower(asset) = lower(${asset}) AND lower(pay_to) = lower(${payTo}) AND created_at <= ${until}
        AND (updated_at >= ${since} OR state NOT IN ('settled', 'rejected', 'work_failed', 'settle_failed', 'lost'))
      ORDER BY created_at, id`;
    return Entries.parse(entries);
  }
}
