import { callerKey, TargetBusyError, type Counters, type OptOuts } from '@app/limits';
import { within } from '@app/platform';
import type { HostName } from '@app/hosts';
import { LRUCache } from 'lru-cache';
import { RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';
import type { ProbeClient } from './probe-client';
import { OptedOutError } from './probe-errors';

const DAY_SEC = 86_400;
export const HOUR_SEC = 3_600;

/** The operator pays for free probes: this many an hour for all callers together, and for one of them. */
export const PROBES_PER_HOUR = 600;
const PROBES_PER_CALLER_HOUR = 30;

/** A host that was offered lately is not counted again: a popular stale report must stay a read without a round trip. */
const REMEMBERED_MS = 600_000;
const REMEMBERED_HOSTS = 20_000;
/** A probe that failed is tried again after this by lookups, and at once for a caller that waits for it. */
const FAILED_MS = 60_000;
const FAILED: Promise<FreeProbeEnd> = Promise.resolve('failed');
const ALREADY_PROBED: Promise<FreeProbeEnd> = Promise.resolve('refused');

export interface FreePresenceDeps {
  /** On the queue for free probes, which never stands in front of a buyer. */
  readonly probes: Pick<ProbeClient, 'admitTarget' | 'run'>;
  readonly limits: Counters;
  readonly optOuts: OptOuts;
  /** Told of probes that failed; a budget that is spent is no failure. */
  readonly failed: (error: unknown) => void;
  /** Told when the free probes of all callers in an hour are used up. */
  readonly spent: () => void;
}

/** How an offer of a free probe ended; `under_way` when the caller waited no longer. */
export type FreeProbeEnd = 'made' | 'refused' | 'failed' | 'under_way';

/**
 * Behaviour 3.8: a lookup of a host whose presence is missing or stale starts one background probe, at most one per host
 * and day, within budgets for all callers and for each. A caller that wants the result waits; others do not.
 */
export class FreePresence {
  private readonly perHost: RateLimiterAbstract;
  private readonly perCaller: RateLimiterAbstract;
  private readonly all: RateLimiterAbstract;
  private readonly probes = new LRUCache<string, Promise<FreeProbeEnd>>({ max: REMEMBERED_HOSTS, ttl: REMEMBERED_MS });

  constructor(private readonly deps: FreePresenceDeps) {
    this.perHost = deps.limits.limiter('presence_host', 1, DAY_SEC);
    this.perCaller = deps.limits.limiter('presence_caller', PROBES_PER_CALLER_HOUR, HOUR_SEC);
    this.all = deps.limits.limiter('presence', PROBES_PER_HOUR, HOUR_SEC);
  }

  /**
   * Starts the probe unless it was lately; resolves when it has ended or `waitMs` have passed. Never rejects.
   * @param caller network address of the caller
   */
  async offer(host: HostName, caller: string, waitMs: number): Promise<FreeProbeEnd> {
    if (this.deps.optOuts.covers(host.ascii)) return 'refused';
    let probe = this.probes.get(host.ascii);
    if (!probe || (probe === FAILED && waitMs > 0)) {
      probe = this.probe(host, caller).then(
        () => {
          this.probes.set(host.ascii, ALREADY_PROBED);
          return 'made';
        },
        (error: unknown) => {
          if (isSpent(error)) return 'refused'; // a budget that is spent is no failure
          this.deps.failed(error);
          this.probes.set(host.ascii, FAILED, { ttl: FAILED_MS });
          return 'failed';
        },
      );
      this.probes.set(host.ascii, probe);
    }
    if (waitMs <= 0) return 'under_way';
    return within(waitMs, probe, () => 'under_way');
  }

  private async countForAll(): Promise<void> {
    await this.all.consume('everybody').catch((error: unknown) => {
      if (error instanceof RateLimiterRes) this.deps.spent();
      throw error;
    });
  }

  /**
   * A probe that was not made leaves the host its own for when it can be; what it may have sent counts for the site.
   * @throws when a budget is spent or the probe could not be made
   */
  private async probe(host: HostName, caller: string): Promise<void> {
    await this.perCaller.consume(callerKey(caller)).catch((spent: unknown) => {
      this.probes.delete(host.ascii); // what is refused to one caller is not refused to the next
      throw spent;
    });
    await this.perHost.consume(host.ascii);
    try {
      const { probes } = this.deps;
      await probes.admitTarget({ kind: 'presence', host }); // one that is refused takes nothing from other hosts
      await this.countForAll();
      await probes.run({ kind: 'presence', host });
    } catch (error) {
      await this.perHost.delete(host.ascii);
      throw error;
    }
  }
}

/** Whether no probe was to be made, for want of a budget or because the owner asked for none. */
function isSpent(error: unknown): boolean {
  return error instanceof RateLimiterRes || error instanceof TargetBusyError || error instanceof OptedOutError;
}

/** `wait` of a `Prefer` header (RFC 7240 section 4.3), in milliseconds, at most ten seconds; 0 without one. */
export function preferredWaitMs(prefer: string | undefined): number {
  const seconds = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,4})"?/i.exec(prefer ?? '')?.[1];
  return Math.min(10, Number(seconds ?? 0)) * 1_000;
}
