import type { Config } from '@app/config';
import {
  CallerLimit,
  ALL_CALLERS,
  FailureLimit,
  FloodGuard,
  isLoopback,
  networkKey,
  type LimitStore,
  type Standing,
} from '@app/limits';
import { RequestError } from './request-error';

/** The sender of a request as rate limits see it: a Fastify request or an equivalent. */
export interface Caller {
  /** The network address, behind trusted proxies. */
  readonly ip: string;
}

/** Accepts response headers before it is known whether the answer is an error. */
export interface HeaderSink {
  header(name: string, value: string): unknown;
}

/** The rate limits of callers, reported in the headers of draft-ietf-httpapi-ratelimit-headers-10. */
export class RateLimits {
  private readonly limits: ReturnType<typeof limitsOf>;

  /** @param store shares the counts between all processes */
  constructor(config: Config, store: LimitStore) {
    this.limits = limitsOf(config, store);
  }

  /**
   * Counts a utility check. Call it after reading the arguments, so that bad input costs nothing (behaviour 7.7).
   * @throws {RequestError} 429 `rate_limited`, before any payment is requested
   */
  async countCheck(caller: Caller, headers: HeaderSink): Promise<void> {
    apply(await this.limits.checks.take(caller.ip), headers);
  }

  /**
   * Counts the download of an evidence file, which is read from storage and may have megabytes. @throws {RequestError}
   * 429 `rate_limited`
   */
  async countEvidence(caller: Caller, headers: HeaderSink): Promise<void> {
    apply(await this.limits.evidence.take(caller.ip), headers);
  }

  /** Counts a new claim. @throws {RequestError} 429 `rate_limited` */
  async countClaim(caller: Caller, headers: HeaderSink): Promise<void> {
    apply(await this.limits.claims.take(caller.ip), headers);
  }

  /** Whether a claim may be checked for a caller. A refused check does not count against other callers. */
  async mayCheckClaim({ ip }: Caller): Promise<boolean> {
    const { caller, network, all } = this.limits.claimChecks;
    if (!(await caller.take(ip)).allowed || !(await network.take(networkKey(ip))).allowed) return false;
    return (await all.take(ALL_CALLERS)).allowed;
  }

  /** Counts a free owner probe; all owners of a host share one limit. @throws {RequestError} 429 `free_probes_used` */
  async countOwnerProbe(domain: string, headers: HeaderSink): Promise<void> {
    apply(await this.limits.ownerProbes.take(domain), headers, 'free_probes_used');
  }

  /** Counts a new or changed watch, or a redelivered alert. @throws {RequestError} 429 `rate_limited` */
  async countWatch(caller: Caller, headers: HeaderSink): Promise<void> {
    apply(await this.limits.watches.take(caller.ip), headers);
  }

  /**
   * Counts any request, in this process and without a round trip. Requests from this machine are not counted: behind a
   * local proxy that is not declared in `TRUSTED_PROXIES`, all callers would share one quota. Returns undefined if
   * there is nothing to wait for.
   * @throws {RequestError} 429 `rate_limited`
   */
  countRequest({ ip }: Caller, headers: HeaderSink): Promise<void> | undefined {
    if (isLoopback(ip)) return undefined;
    return this.limits.floods.take(ip).then((standing) => {
      apply(standing, headers);
    });
  }

  /**
   * Refuses further payments from a caller after too many of them failed (behaviour 9.14).
   * @throws {RequestError} 429 `rate_limited`
   */
  admitPayment({ ip }: Caller): void {
    const retryAfterSec = this.limits.refusedPayments.waitSec(ip);
    if (retryAfterSec > 0) throw new RequestError('rate_limited', TOO_MANY_REFUSED, { retryAfterSec });
  }

  /** Counts a refused payment. */
  countRefusedPayment({ ip }: Caller): Promise<void> {
    return this.limits.refusedPayments.count(ip);
  }

  /**
   * Counts a probe that a subscription includes, for all its callers together.
   * @throws {RequestError} 429 `subscription_budget`
   */
  async countIncludedRefresh(subscriptionId: string, headers: HeaderSink): Promise<void> {
    apply(await this.limits.includedRefreshes.take(subscriptionId), headers, 'subscription_budget');
  }
}

/** How many watches one caller may create or change per hour, including redelivered alerts. */
const WATCHES_PER_HOUR = 60;

/** All callers together may have this many times the refused payments of one caller. */
export const CALLERS = 10;

/** Claim checks per hour for each claim that a caller may start. A network (/24, /48) gets twice as many. */
const CHECKS_PER_CLAIM = 4;
/** Claim checks per hour for all callers together. */
const CHECKS_PER_HOUR = 600;

/** The configured limits of callers. */
function limitsOf({ callers, subscriptions }: Config, store: LimitStore) {
  const limit = (name: string, points: number, windowSec: number) =>
    new CallerLimit(store, { name, points, windowSec });
  const hourly = (name: string, points: number) => limit(name, points, 3_600);
  const { refusedPaymentsPerMin, claimsPerHour } = callers;
  return {
    checks: limit('checks', callers.checksPerMin, 60),
    floods: new FloodGuard({ name: 'requests', points: callers.requestsPerMin, windowSec: 60 }),
    includedRefreshes: limit('subscription', subscriptions.refreshesPerDay, 86_400),
    refusedPayments: new FailureLimit(
      limit('refused', refusedPaymentsPerMin, 60),
      limit('all_refused', refusedPaymentsPerMin * CALLERS, 60),
    ),
    evidence: limit('evidence', callers.evidencePerMin, 60),
    claims: hourly('claims', claimsPerHour),
    watches: hourly('watches', WATCHES_PER_HOUR),
    ownerProbes: limit('owner_probes', callers.ownerProbesPerDay, 86_400),
    claimChecks: {
      caller: hourly('claim_checks', claimsPerHour * CHECKS_PER_CLAIM),
      network: hourly('network_claim_checks', claimsPerHour * CHECKS_PER_CLAIM * 2),
      all: hourly('all_claim_checks', CHECKS_PER_HOUR),
    },
  };
}

const TOO_MANY_REFUSED = 'Too many of your payments were refused. Send the same payment again later.';

/** The message for a caller whose limit is reached. */
const USED_UP = {
  rate_limited: ({ points, windowSec }: Quota) =>
    `Too many requests: the limit is ${points} in ${windowSec} seconds. Nothing was charged.`,
  subscription_budget: ({ points }: Quota) =>
    `Daily refresh limit of this subscription reached (${points}). To pay for a single refresh, send no credential.`,
  free_probes_used: ({ points }: Quota) =>
    `Daily limit of free owner probes for this host reached (${points}). You can pay for one now.`,
};
type Quota = Standing['quota'];

function apply(
  { allowed, quota, remaining, resetSec }: Standing,
  headers: HeaderSink,
  code: keyof typeof USED_UP = 'rate_limited',
): void {
  headers.header('ratelimit-policy', `"${quota.name}";q=${quota.points};w=${quota.windowSec}`);
  headers.header('ratelimit', `"${quota.name}";r=${remaining};t=${resetSec}`);
  if (!allowed) throw new RequestError(code, USED_UP[code](quota), { retryAfterSec: resetSec });
}
