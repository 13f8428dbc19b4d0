import { randomUUID } from 'node:crypto';
import type { Attempt, Lease, OpenAttempts, PaymentLedger } from '@app/payments';
import { EXPIRY_GRACE_MS, SETTLEABLE, type Settler, type SettlementEnd } from './settler';

/** How often it reads the ledger, in milliseconds; attempts that stay unknown are taken up less and less often by the ledger. */
const EVERY_MS = 3_000;
/** Attempts taken up together; more are taken up right after. */
const BATCH = 20;
/** One settlement and its chain reads, with room to spare. */
const LEASE_MS = 60_000;

/** How often it forgets what ended without a charge, in milliseconds. */
const FORGETS_EVERY_MS = 60_000;
/** How long attempts stay that ended without a charge: those no facilitator verified, and those that were verified. */
const UNVERIFIED_MS = 3_600_000;
const UNCHARGED_MS = 30 * 86_400_000;
/** So many of them stay at most. */
export const UNCHARGED_KEPT = 10_000;

export interface SettlementReconcilerDeps {
  readonly ledger: Pick<PaymentLedger, 'takeOver'>;
  readonly open: OpenAttempts;
  readonly settler: Settler;
  /** Runs the work unless another gateway is at it. */
  readonly exclusively: (work: () => Promise<void>) => Promise<boolean>;
  readonly now: () => Date;
  /** Told of a pass that failed as a whole, for example because the database is away. */
  readonly failed: (error: unknown) => void;
}

/** What one pass brought to an end, and what it could not. */
export type ReconcilerPass = Readonly<Record<SettlementEnd['kind'] | 'expired', number>>;

/**
 * Finds out what became of settlements that no request waits for any more: a gateway that died after the answer was stored, a
 * facilitator that gave no answer. Buyers get their answer on the next try without a second charge, and the ledger
 * agrees with the chain whether they come back or not. Runs in every gateway, at work in one.
 */
export class SettlementReconciler {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private stopped = false;
  private forgetsAt = 0;

  constructor(private readonly deps: SettlementReconcilerDeps) {}

  start(): void {
    this.timer = setTimeout(() => {
      this.running = this.deps
        .exclusively(async () => {
          await this.pass();
        })
        .then(
          () => undefined,
          (error: unknown) => {
            this.deps.failed(error);
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

  /** One pass over everything that is due; the caller holds the lock. */
  async pass(): Promise<ReconcilerPass> {
    const { open, settler, now } = this.deps;
    const count = { settled: 0, failed: 0, unknown: 0, elsewhere: 0, expired: 0 };
    // Without an answer nothing was sent: such an attempt may start over while its authorization lives, not longer.
    count.expired = await open.closeExpired(new Date(now().getTime() - EXPIRY_GRACE_MS));
    await this.forget();
    await this.inBatches(
      () => open.due(BATCH),
      async (attempt) => {
        count[(await this.bringToAnEnd(attempt)).kind] += 1;
      },
    );
    // Holds what was written of late against the chain, which may have changed its mind, or was not asked.
    await this.inBatches(
      () => open.watched(BATCH),
      (attempt) => settler.recheck(attempt),
    );
    return count;
  }

  /** Reads and works on while batches are full and bring something new: a row that its work leaves where it is waits for the next pass. */
  private async inBatches(read: () => Promise<readonly Attempt[]>, work: (attempt: Attempt) => Promise<unknown>) {
    const had = new Set<string>();
    while (!this.stopped) {
      const batch = await read();
      const fresh = batch.filter(({ id }) => !had.has(id));
      await Promise.all(fresh.map(work));
      if (fresh.length === 0 || batch.length < BATCH) return;
      for (const { id } of fresh) had.add(id);
    }
  }

  /** What costs its maker nothing has a cap and an age (behaviour 9.14). */
  private async forget(): Promise<void> {
    const now = this.deps.now().getTime();
    if (now < this.forgetsAt) return;
    this.forgetsAt = now + FORGETS_EVERY_MS;
    const [unverified, verified] = [new Date(now - UNVERIFIED_MS), new Date(now - UNCHARGED_MS)];
    await this.deps.open.forgetUncharged({ unverified, verified, kept: UNCHARGED_KEPT });
  }

  private async bringToAnEnd(attempt: Attempt): Promise<SettlementEnd> {
    const { ledger, settler } = this.deps;
    const lease: Lease = { owner: randomUUID(), forMs: LEASE_MS };
    const lost = await ledger.takeOver(attempt, lease, SETTLEABLE, 'settling');
    return lost ? settler.settleAgain(lost, lease) : { kind: 'elsewhere' };
  }
}
