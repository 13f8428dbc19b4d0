import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Attempt, Lease, OpenAttempts, PaymentLedger } from '@app/payments';
import { EXPIRY_GRACE_MS, SETTLEABLE, type Settler, type SettlementEnd } from './settler';

/** How often it reads the ledger, and forgets what ended without a charge, in milliseconds; attempts that stay unknown are taken up less and less often by the ledger. */
export const EVERY_MS = 3_000;
/** Attempts taken up together; more are taken up right after. */
const BATCH = 20;
/** One settlement and its chain reads, with room to spare. */
const LEASE_MS = 60_000;

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
  /** Told of an attempt whose work failed, and of a pass that failed as a whole, for example because the database is away. */
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
  private readonly stopping = new AbortController();
  private loops: Promise<unknown> = Promise.resolve();

  constructor(private readonly deps: SettlementReconcilerDeps) {}

  /** Forgets beside the passes: settlements that take long must not hold up what keeps strangers' rows within their cap. */
  start(): void {
    const passes = this.repeat(() =>
      this.deps.exclusively(async () => {
        await this.pass();
      }),
    );
    this.loops = Promise.all([passes, this.repeat(() => this.forget())]);
  }

  /** Ends after what is under way. */
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

  /** One pass over everything that is due; the caller holds the lock. */
  async pass(): Promise<ReconcilerPass> {
    const { open, settler, now } = this.deps;
    const count = { settled: 0, failed: 0, unknown: 0, elsewhere: 0, expired: 0 };
    // Without an answer nothing was sent: such an attempt may start over while its authorization lives, not longer.
    count.expired = await open.closeExpired(new Date(now().getTime() - EXPIRY_GRACE_MS));
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

  /** Reads and works on while there is something new: a row that its work leaves where it is, or fails at, waits for the next pass. */
  private async inBatches(read: () => Promise<readonly Attempt[]>, work: (attempt: Attempt) => Promise<unknown>) {
    const had = new Set<string>();
    while (!this.stopping.signal.aborted) {
      const fresh = (await read()).filter(({ id }) => !had.has(id));
      if (fresh.length === 0) return;
      await Promise.all(fresh.map((attempt) => work(attempt).catch(this.deps.failed)));
      for (const { id } of fresh) had.add(id);
    }
  }

  /** What costs its maker nothing has a cap and an age (behaviour 9.14). Gateways may do this at the same time. */
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
