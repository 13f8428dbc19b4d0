import { TRANSACTION_CORRECTED, TRANSFER_VANISHED, type AttemptState, type LedgerEntry } from '@app/payments';
import type { Database } from '../database/database';

/** Whose payments are probed. Addresses in any case. */
export interface LedgerScope {
  readonly network: string;
  readonly asset: string;
  readonly payTo: string;
}

interface Row {
  id: string;
  network: string;
  asset: string;
  payer: string;
  nonce: string;
  state: AttemptState;
  amount: string;
  transaction: string | null;
  answered: boolean;
  times_settled: number;
}

const IN_SCOPE = 'network = $1 AND lower(asset) = lower($2) AND lower(pay_to) = lower($3)';

/** Reads the ledger for comparison with the chain; changes nothing. SQL, for addresses in any case and a count beside each row. */
export class LedgerAuditRepository {
  constructor(private readonly database: Database) {}

  /** When the first attempt was presented; undefined for an empty ledger. */
  async oldest({ network, asset, payTo }: LedgerScope): Promise<Date | undefined> {
    const { rows } = await this.database.pool.query<{ at: Date | null }>(
      `SELECT min(created_at) AS at FROM payment_attempt WHERE ${IN_SCOPE}`,
      [network, asset, payTo],
    );
    return rows[0]?.at ?? undefined;
  }

  /** Attempts that lived between two times: presented before `until`, and brought to an end after `since` or not yet. */
  async entries({ network, asset, payTo }: LedgerScope, since: Date, until: Date): Promise<readonly LedgerEntry[]> {
    const { rows } = await this.database.pool.query<Row>(
      `SELECT id, network, asset, payer, nonce, state, amount::text, settlement->>'transaction' AS transaction,
         coalesce(answer, '') <> '' AS answered,
         (SELECT (count(*) FILTER (WHERE state = 'settled' AND reason IS DISTINCT FROM '${TRANSACTION_CORRECTED}')
                  - count(*) FILTER (WHERE reason = '${TRANSFER_VANISHED}'))::int
          FROM payment_event WHERE attempt_id = a.id) AS times_settled
       FROM payment_attempt a
       WHERE ${IN_SCOPE} AND created_at <= $5
         AND (updated_at >= $4 OR state NOT IN ('settled', 'rejected', 'work_failed', 'settle_failed', 'lost'))
       ORDER BY created_at, id`,
      [network, asset, payTo, since, until],
    );
    return rows.map(({ times_settled: timesSettled, amount, ...row }) => ({
      ...row,
      amount: BigInt(amount),
      timesSettled,
    }));
  }
}
