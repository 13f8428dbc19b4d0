import { callerKey, TargetBusyError, type Counters, type OptOuts } from '@app/limits';
import { within } from '@app/platform';
import type { HostName } from '@app/hosts';
import { LRUCache } from 'lru-cache';
import { RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';
import type { ProbeClient } from './probe-client';
import { OptedOutError } from './probe-errors';

const DAY_SEC = 86_400;
export const HOUR_SEC = 3_600;

/** Limits on free probes per hour, which the operator pays for: for all callers together, and for one. */
export const PROBES_PER_HOUR = 600;
const PROBES_PER_CALLER_HOUR = 30;

/**
 * A host that was offered recently is not counted again, so that reading a popular stale report needs no round trip.
 */
const REMEMBERED_MS = 600_000;
const REMEMBERED_HOSTS = 20_000;
/** Lookups retry a failed probe after this time; a caller that waits for the probe retries it at once. */
const FAILED_MS = 60_000;
const FAILED = over('failed');
const ALREADY_PROBED = over('refused');

export interface FreePresenceDeps {
  /** Uses the queue for free probes, which never delays buyers. */
  readonly probes: Pick<ProbeClient, 'admitTarget' | 'run'>;
  readonly limits: Counters;
  readonly optOuts: OptOuts;
  /** Called for failed probes; an exhausted limit is not a failure. */
  readonly failed: (error: unknown) => void;
  /** Called when the hourly limit of all callers is reached. */
  readonly spent: () => void;
}

/** The outcome of a free probe; `skipped` if the host did not want it. */
type FreeProbeEnd = 'made' | 'skipped' | 'refused' | 'failed';

/** A requested free probe. */
export interface FreeProbe {
  /** The id of its run; never resolves if no run starts. */
  readonly run: Promise<string>;
  readonly end: Promise<FreeProbeEnd>;
}

/**
 * Behaviour 3.8: looking up a host without a fresh presence starts one background probe, at most one per host and day,
 * within limits for all callers and for each. Only callers that ask for it wait for the result.
 */
export class FreePresence {
  private readonly perHost: RateLimiterAbstract;
  private readonly perCaller: RateLimiterAbstract;
  private readonly all: RateLimiterAbstract;
  private readonly probes = new LRUCache<string, FreeProbe>({ max: REMEMBERED_HOSTS, ttl: REMEMBERED_MS });

  constructor(private readonly deps: FreePresenceDeps) {
    this.perHost = deps.limits.limiter('presence_host', 1, DAY_SEC);
    this.perCaller = deps.limits.limiter('presence_caller', PROBES_PER_CALLER_HOUR, HOUR_SEC);
    this.all = deps.limits.limiter('presence', PROBES_PER_HOUR, HOUR_SEC);
  }

  /**
   * Like {@link start}; resolves when the probe has ended or after `waitMs`. Never rejects.
   * @param caller network address of the caller
   */
  async offer(host: HostName, caller: string, waitMs: number): Promise<FreeProbeEnd | 'under_way'> {
    const { end } = this.start(host, caller, waitMs > 0);
    return waitMs > 0 ? within(waitMs, end, () => 'under_way') : 'under_way';
  }

  /**
   * Starts the probe unless there was one recently. Neither promise of the result rejects.
   * @param caller network address of the caller
   * @param again whether to retry a probe that just failed
   */
  start(host: HostName, caller: string, again: boolean): FreeProbe {
    if (this.deps.optOuts.covers(host.ascii)) return ALREADY_PROBED;
    const known = this.probes.get(host.ascii);
    if (known && !(known === FAILED && again)) return known;
    let begun: (runId: string) => void = () => undefined;
    const run = new Promise<string>((resolve) => (begun = resolve));
    const end = this.probe(host, caller, begun).then(
      (ended) => {
        if (ended === 'made') this.probes.set(host.ascii, ALREADY_PROBED);
        else this.probes.delete(host.ascii);
        return ended;
      },
      (error: unknown) => {
        if (error instanceof TargetBusyError) {
          const ttl = Math.min(REMEMBERED_MS, error.retryAfterSec * 1_000);
          this.probes.set(host.ascii, ALREADY_PROBED, { ttl });
        }
        if (isSpent(error)) return 'refused'; // an exhausted limit is not a failure
        this.deps.failed(error);
        this.probes.set(host.ascii, FAILED, { ttl: FAILED_MS });
        return 'failed';
      },
    );
    const probe = { run, end };
    this.probes.set(host.ascii, probe);
    return probe;
  }

  private async countForAll(): Promise<void> {
    await this.all.consume('everybody').catch((error: unknown) => {
      if (error instanceof RateLimiterRes) this.deps.spent();
      throw error;
    });
  }

  /**
   * A probe that could not be made does not use up the host's daily probe; if it sent requests, it still counts toward
   * the site's limit.
   * @throws if a limit is reached or the probe could not be made
   */
  private async probe(host: HostName, caller: string, begun: (runId: string) => void): Promise<'made' | 'skipped'> {
    await this.perCaller.consume(callerKey(caller)).catch((spent: unknown) => {
      this.probes.delete(host.ascii); // a refusal to one caller does not affect the next
      throw spent;
    });
    await this.perHost.consume(host.ascii);
    try {
      const { probes } = this.deps;
      await probes.admitTarget({ kind: 'presence', host }); // a refused probe does not count against other hosts
      await this.countForAll();
      const outcome = await probes.run({ kind: 'presence', host }, begun);
      if (!('skipped' in outcome)) return 'made';
      await this.perHost.delete(host.ascii);
      return 'skipped';
    } catch (error) {
      await this.perHost.delete(host.ascii);
      throw error;
    }
  }
}

/** A probe that starts no run. */
function over(end: FreeProbeEnd): FreeProbe {
  return { run: new Promise(() => undefined), end: Promise.resolve(end) };
}

/** Whether no probe was due, because a limit is reached or the owner opted out. */
function isSpent(error: unknown): boolean {
  return error instanceof RateLimiterRes || error instanceof TargetBusyError || error instanceof OptedOutError;
}

/** `wait` of a `Prefer` header (RFC 7240 section 4.3), in milliseconds, at most ten seconds; 0 if missing. */
export function preferredWaitMs(prefer: string | undefined): number {
  const seconds = /(?:^|[,;\s])wait\s*=\s*"?(\d{1,4})"?/i.exec(prefer ?? '')?.[1];
  return Math.min(10, Number(seconds ?? 0)) * 1_000;
}
