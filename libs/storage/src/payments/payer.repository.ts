import type { Attempt, AuthorizationKey } from '@app/payments';
import { z } from 'zod';
import { KEEP_PLAN, type Database } from '../database/database';
import { Prisma } from '../generated/client';

/** A payer's other ledger entries, without the attempt that is being checked. */
const PayerStanding = z.object({
  /** The sum of other unfinished attempts, in atomic units. */
  open: z.string().transform(BigInt),
  /** Whether one of them may have moved its money already. */
  settling: z.boolean(),
  /** Settlements in the last 24 hours that failed through the payer's fault (behaviour 9.15). */
  failures: z.int(),
  lastFailureAt: z.date().nullable(),
});
export type PayerStanding = Readonly<z.infer<typeof PayerStanding>>;

const OPEN = Prisma.sql`state IN ('answer_stored', 'settling', 'settle_unknown')
  OR (state IN ('received', 'verified', 'working') AND lease_until > now())`;
const UNPAID = Prisma.sql`state IN ('settle_failed', 'settle_unknown', 'settling', 'lost') AND updated_at > now() - interval '24 hours'
  AND reason IN ('insufficient_balance', 'wallet_refused', 'authorization_canceled')`;

/** Reads the ledger by payer, for all gateways. */
export class PayerRepository {
  constructor(private readonly database: Database) {}

  async standing(of: Attempt | AuthorizationKey): Promise<PayerStanding> {
    const { network, asset, payer } = of;
    // Uses SQL for several sums in one read (partial index payment_attempt_payer_idx).
    const standing = await this.database.prisma.$queryRaw`${KEEP_PLAN}
      SELECT coalesce(sum(amount) FILTER (WHERE ${OPEN}), 0)::text AS open,
        coalesce(bool_or(state IN ('settling', 'settle_unknown')), false) AS settling,
        count(*) FILTER (WHERE ${UNPAID})::int AS failures, max(updated_at) FILTER (WHERE ${UNPAID}) AS "lastFailureAt"
      FROM payment_attempt
      WHERE network = ${network} AND asset = ${asset} AND payer = ${payer} AND id IS DISTINCT FROM ${'id' in of ? of.id : null}::uuid
        AND state NOT IN ('settled', 'rejected', 'work_failed')`;
    return z.tuple([PayerStanding]).parse(standing)[0];
  }

  /** Runs `work` unless another process is doing so for this payer; returns false then. */
  exclusively(payer: string, work: () => Promise<void>): Promise<boolean> {
    return this.database.exclusively(LOCKS + Number.parseInt(payer.slice(2, 9), 16), work);
  }
}

/** Above the numbers of other locks. */
const LOCKS = 10_000_000_000;
