import type { Attempt, PaymentLedger } from '@app/payments';
import type { Notices } from '@app/storage';

/** A notice may be lost, the row never is. */
const POLL_MS = 1_000;

/** Waits for another request, perhaps in another process, to bring an attempt further. */
export class AttemptWaiter {
  constructor(
    private readonly ledger: Pick<PaymentLedger, 'find'>,
    private readonly notices: Pick<Notices, 'next'>,
  ) {}

  /** The attempt once its state differs from the given one; undefined when `timeoutMs` passed first. */
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
