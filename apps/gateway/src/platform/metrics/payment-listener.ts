import type { Failures, Logger } from '@app/platform';
import type { AttemptState } from '@app/payments';
import type { LedgerListener, UpkeepListener } from '@app/storage';
import type { GatewayMetrics } from './gateway-metrics';

/** Final and doubtful states, which operators need to see; the steps in between are logged for debugging. */
const LOGGED_AT_INFO: ReadonlySet<AttemptState> = new Set([
  'settled',
  'rejected',
  'work_failed',
  'settle_failed',
  'settle_unknown',
  'lost',
]);

/** Counts and logs every state change of attempts, with amounts and ids only: the payment itself is a secret. */
export function paymentListener(
  metrics: GatewayMetrics,
  logger: Logger,
  failures: Pick<Failures, 'capReached' | 'of'>,
): LedgerListener & UpkeepListener {
  return {
    reached(attempt) {
      metrics.reached(attempt);
      const { id, state, sku, amount, reason, settlement } = attempt;
      const facts = {
        attemptId: id,
        state,
        sku,
        atomic: amount.toString(),
        reason,
        transaction: settlement?.transaction,
      };
      if (LOGGED_AT_INFO.has(state)) logger.info(facts, 'payment state changed');
      else logger.debug(facts, 'payment goes on');
    },
    expired(count) {
      metrics.reachedAtOnce('work_failed', count);
    },
    surplus() {
      failures.capReached('refused payments');
    },
    unreadable: failures.of('sealing', 'could not decrypt a stored payment', 'error'),
  };
}
