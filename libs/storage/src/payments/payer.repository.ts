import type { Attempt, AuthorizationKey } from '@app/payments';
import type { Database } from '../database/database';

/** What the ledger has of a payer, beside one attempt when it is asked about that. */
export interface PayerStanding {
  /** Atomic units of other attempts that are not at an end. */
  readonly open: bigint;
  /** Whether any of these may have moved its money already. */
  readonly settling: boolean;
  /** Settlements of the last 24 hours that failed by the payer's fault (behaviour 9.15). */
  readonly failures: number;
  readonly lastFailureAt: Date | null;
}

const OPEN = `state IN ('answer_stored', 'settling', 'settle_unknown')
  OR (state IN ('received', 'verified', 'working') AND lease_until > now())`;
const UNPAID = `state IN ('settle_failed', 'settle_unknown', 'settling', 'lost') AND updated_at > now() - interval '24 hours'
  AND reason IN ('insufficient_balance', 'wallet_refused', 'authorization_canceled')`;

/** Reads the ledger by payer, for all gateways alike. SQL for its sums (partial index payment_attempt_payer_idx). */
export class PayerRepository {
  constructor(private readonly database: Database) {}

  async standing(of: Attempt | AuthorizationKey): Promise<PayerStanding> {
    const { rows } = await this.database.pool.query<Omit<PayerStanding, 'open'> & { readonly open: string }>({
      name: 'payer_standing',
      text: `SELECT coalesce(sum(amount) FILTER (WHERE ${OPEN}), 0)::text AS open,
          coalesce(bool_or(state IN ('settling', 'settle_unknown')), false) AS settling,
          count(*) FILTER (WHERE ${UNPAID})::int AS failures, max(updated_at) FILTER (WHERE ${UNPAID}) AS "lastFailureAt"
        FROM payment_attempt
        WHERE network = $2 AND asset = $3 AND payer = $4 AND id IS DISTINCT FROM $1
          AND state NOT IN ('settled', 'rejected', 'work_failed')`,
      values: ['id' in of ? of.id : null, of.network, of.asset, of.payer],
    });
    const [row] = rows;
    if (!row) throw new Error('a sum has a row');
    return { ...row, open: BigInt(row.open) };
  }

  /** Runs `work` unless another process does so for this payer; false then. */
  exclusively(payer: string, work: () => Promise<void>): Promise<boolean> {
    return this.database.exclusively(LOCKS + Number.parseInt(payer.slice(2, 9), 16), work);
  }
}

/** Above the numbers of other locks. */
const LOCKS = 10_000_000_000;
