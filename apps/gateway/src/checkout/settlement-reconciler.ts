import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Attempt, Lease, OpenAttempts, PaymentLedger } from '@app/payments';
import { EXPIRY_GRACE_MS, SETTLEABLE, type Settler, type SettlementEnd } from './settler';

/**
 * How often it reads the ledger and deletes uncharged attempts, in milliseconds. The ledger returns unknown attempts
 * less and less often.
 */
export const EVERY_MS = 3_000;
/** How many attempts are processed together. The next batch follows at once. */
const BATCH = 20;
/** Enough time for one settlement and its chain reads. */
const LEASE_MS = 60_000;

/** How long uncharged attempts are kept: first those that no facilitator verified, then verified ones. */
const UNVERIFIED_MS = 3_600_000;
const UNCHARGED_MS = 30 * 86_400_000;
/** The maximum number of these that are kept. */
export const UNCHARGED_KEPT = 10_000;

export interface SettlementReconcilerDeps {
  readonly ledger: Pick<PaymentLedger, 'takeOver'>;
  readonly open: OpenAttempts;
  readonly settler: Settler;
  /** Runs the work unless another gateway is already doing it. */
  readonly exclusively: (work: () => Promise<void>) => Promise<boolean>;
  readonly now: () => Date;
  /**
   * Called when the work on an attempt fails, and when a whole pass fails, for example because the database is down.
   */
  readonly failed: (error: unknown) => void;
}

/** How many attempts one pass completed, by outcome, and how many it could not. */
export type ReconcilerPass = Readonly<Record<SettlementEnd['kind'] | 'expired', number>>;

/**
 * Resolves settlements that no request waits for any more, because a gateway crashed after storing the answer or the
 * facilitator did not answer. Buyers then get their answer on the next try without a second charge, and the ledger
 * agrees with the chain even if they never come back. Every gateway runs it, but only one works at a time.
 */
export class SettlementReconciler {
  private readonly stopping = new AbortController();
  private loops: Promise<unknown> = Promise.resolve();

  constructor(private readonly deps: SettlementReconcilerDeps) {}

  /** Deletes in parallel with the passes: slow settlements must not delay the cap on unverified rows. */
  start(): void {
    const passes = this.repeat(() =>
      this.deps.exclusively(async () => {
        await this.pass();
      }),
    );
    this.loops = Promise.all([passes, this.repeat(() => this.forget())]);
  }

  /** Resolves after the current pass has ended. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.loops;
  }

  private async repeat(work: () => Promise<unknown>): Promise<void> {
    const { signal } = this.stopping;
    for (;;) {
      await pause(EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      await work().catch(this.deps.failed);
    }
  }

  /** One pass over all due attempts. The caller holds the lock. */
  async pass(): Promise<ReconcilerPass> {
    const { open, settler, now } = this.deps;
    const count = { settled: 0, failed: 0, unknown: 0, elsewhere: 0, expired: 0 };
    // If no answer is stored, nothing was sent. Such an attempt may start over until its authorization expires.
    count.expired = await open.closeExpired(new Date(now().getTime() - EXPIRY_GRACE_MS));
    await this.inBatches(
      () => open.due(BATCH),
      async (attempt) => {
        count[(await this.bringToAnEnd(attempt)).kind] += 1;
      },
    );
    // Compares recent outcomes with the chain, which may have reorganized or may not have been read at all.
    await this.inBatches(
      () => open.watched(BATCH),
      (attempt) => settler.recheck(attempt),
    );
    return count;
  }

  /**
   * Reads and processes batches while they contain new rows. A row that stays due, or whose work fails, waits for the
   * next pass.
   */
  private async inBatches(read: () => Promise<readonly Attempt[]>, work: (attempt: Attempt) => Promise<unknown>) {
    const had = new Set<string>();
    while (!this.stopping.signal.aborted) {
      const fresh = (await read()).filter(({ id }) => !had.has(id));
      if (fresh.length === 0) return;
      await Promise.all(fresh.map((attempt) => work(attempt).catch(this.deps.failed)));
      for (const { id } of fresh) had.add(id);
    }
  }

  /**
   * Rows that cost their creator nothing have a cap and a maximum age (behaviour 9.14). Several gateways may do this at
   * the same time.
   */
  async forget(): Promise<void> {
    const now = this.deps.now().getTime();
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
