import type { Attempt, PaymentLedger } from '@app/payments';
import type { Notices } from '@app/storage';

/** A notification can get lost, so the row is also polled. */
const POLL_MS = 1_000;

/** Waits until another request, perhaps in another process, moves an attempt to its next state. */
export class AttemptWaiter {
  constructor(
    private readonly ledger: Pick<PaymentLedger, 'find'>,
    private readonly notices: Pick<Notices, 'next'>,
  ) {}

  /** Resolves to the attempt as soon as its state differs from the given one, or to undefined after `timeoutMs`. */
  async waitForChange(seen: Attempt, timeoutMs: number): Promise<Attempt | undefined> {
    const until = Date.now() + timeoutMs;
    while (Date.now() < until) {
      const now = await this.ledger.find(seen.id);
      if (now && now.state !== seen.state) return now;
      await this.notices.next('payment_changed', POLL_MS, (id) => id === seen.id).promise;
    }
    return undefined;
  }
}
