import type { Logger } from '@app/observability';
import type {
  Attempt,
  AttemptState,
  AuthorizationKey,
  Change,
  Claim,
  Lease,
  OpenAttempts,
  PaymentLedger,
} from '@app/payments';
import type { GatewayMetrics } from './gateway-metrics';

/** Ends of an attempt and doubts about it: what an operator reads; the steps between are for debugging. */
const TELLING: ReadonlySet<AttemptState> = new Set([
  'settled',
  'rejected',
  'work_failed',
  'settle_failed',
  'settle_unknown',
]);

/** A ledger that counts and logs every state that is reached. Amounts and ids only: a payment itself is a secret. */
export class MeteredLedger implements PaymentLedger, OpenAttempts {
  constructor(
    private readonly inner: PaymentLedger & OpenAttempts,
    private readonly metrics: GatewayMetrics,
    private readonly logger: Logger,
  ) {}

  async claim(claim: Claim, lease: Lease): Promise<{ readonly attempt: Attempt; readonly owned: boolean }> {
    const claimed = await this.inner.claim(claim, lease);
    if (claimed.owned) this.note(claimed.attempt);
    return claimed;
  }

  find(id: string): Promise<Attempt | undefined> {
    return this.inner.find(id);
  }

  findByAuthorization(key: AuthorizationKey): Promise<Attempt | undefined> {
    return this.inner.findByAuthorization(key);
  }

  async move(attempt: Attempt, lease: Lease, to: AttemptState, change?: Change): Promise<Attempt | undefined> {
    const moved = await this.inner.move(attempt, lease, to, change);
    if (moved && change?.through) this.note({ ...moved, state: change.through });
    return this.noted(moved);
  }

  async takeOver(
    id: string,
    lease: Lease,
    from: readonly AttemptState[],
    to: AttemptState,
    identifier?: string | null,
  ): Promise<Attempt | undefined> {
    return this.noted(await this.inner.takeOver(id, lease, from, to, identifier));
  }

  due(limit: number): Promise<readonly Attempt[]> {
    return this.inner.due(limit);
  }

  async closeExpired(before: Date): Promise<number> {
    const closed = await this.inner.closeExpired(before);
    if (closed > 0) this.metrics.reachedAtOnce('work_failed', closed);
    return closed;
  }

  private noted(attempt: Attempt | undefined): Attempt | undefined {
    if (attempt) this.note(attempt);
    return attempt;
  }

  private note(attempt: Attempt): void {
    this.metrics.reached(attempt);
    const { id, state, sku, amount, reason, settlement } = attempt;
    const facts = {
      attemptId: id,
      state,
      sku,
      atomic: amount.toString(),
      reason,
      transaction: settlement?.transaction,
    };
    if (TELLING.has(state)) this.logger.info(facts, 'payment reached its state');
    else this.logger.debug(facts, 'payment goes on');
  }
}
