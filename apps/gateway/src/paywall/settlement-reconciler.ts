import { randomUUID } from 'node:crypto';
import type { Attempt, Lease, OpenAttempts, PaymentLedger } from '@app/payments';
import { EXPIRY_GRACE_MS, SETTLEABLE, type SettlementDesk, type SettlementEnd } from './settlement-desk';

/** How often it looks, in milliseconds; attempts that stay unknown are taken up less and less often by the ledger. */
const EVERY_MS = 3_000;
/** Attempts taken up together; more are taken up right after. */
const BATCH = 20;
/** One settlement and its chain reads, with room to spare. */
const LEASE_MS = 60_000;

export interface SettlementReconcilerParts {
  readonly ledger: Pick<PaymentLedger, 'takeOver'> & OpenAttempts;
  readonly desk: SettlementDesk;
  /** Runs the work unless another gateway is at it. */
  readonly exclusively: (work: () => Promise<void>) => Promise<boolean>;
  readonly now: () => Date;
  /** Told of a pass that failed as a whole, for example because the database is away. */
  readonly failed: (error: unknown) => void;
}

/** What one pass brought to an end, and what it could not. */
export type ReconcilerPass = Readonly<Record<SettlementEnd['kind'] | 'expired', number>>;

/**
 * Finds out what became of settlements nobody waits for any more: a gateway that died after the answer was stored, a
 * facilitator that gave no answer. Buyers get their answer on the next try without a second charge, and the ledger
 * agrees with the chain whether they come back or not. Runs in every gateway, at work in one.
 */
export class SettlementReconciler {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private stopped = false;

  constructor(private readonly parts: SettlementReconcilerParts) {}

  start(): void {
    this.timer = setTimeout(() => {
      this.running = this.parts
        .exclusively(async () => {
          await this.pass();
        })
        .then(
          () => undefined,
          (error: unknown) => {
            this.parts.failed(error);
          },
        )
        .then(() => {
          if (!this.stopped) this.start();
        });
    }, EVERY_MS);
    this.timer.unref();
  }

  /** Ends after the pass under way. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  /** One look at everything that is due; the lock is the caller's business. */
  async pass(): Promise<ReconcilerPass> {
    const { ledger, now } = this.parts;
    const count = { settled: 0, failed: 0, unknown: 0, elsewhere: 0, expired: 0 };
    // Without an answer nothing was sent: such an attempt may start over while its authorization lives, not longer.
    count.expired = await ledger.closeExpired(new Date(now().getTime() - EXPIRY_GRACE_MS));
    for (;;) {
      const due = await ledger.due(BATCH);
      const ends = await Promise.all(due.map((attempt) => this.bringToAnEnd(attempt)));
      for (const end of ends) count[end.kind] += 1;
      if (due.length < BATCH || this.stopped) return count;
    }
  }

  private async bringToAnEnd(attempt: Attempt): Promise<SettlementEnd> {
    const { ledger, desk } = this.parts;
    const lease: Lease = { owner: randomUUID(), forMs: LEASE_MS };
    const lost = await ledger.takeOver(attempt.id, lease, SETTLEABLE, 'settling');
    return lost ? desk.settleAgain(lost, lease) : { kind: 'elsewhere' };
  }
}
