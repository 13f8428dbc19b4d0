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

/** Who sent a request, as far as limits are concerned: a Fastify request, or what stands for one. */
export interface Caller {
  /** Network address, after trusted proxies. */
  readonly ip: string;
}

/** Takes the headers of a response before it is decided whether it is an answer or an error. */
export interface HeaderSink {
  header(name: string, value: string): unknown;
}

/** What one caller may ask for, said in the headers of draft-ietf-httpapi-ratelimit-headers-10. */
export class RateLimits {
  private readonly limits: ReturnType<typeof limitsOf>;

  /** @param store counts for all processes */
  constructor(config: Config, store: LimitStore) {
    this.limits = limitsOf(config, store);
  }

  /**
   * Counts a utility check; called after its arguments were read, so that bad input costs nothing (behaviour 7.7).
   * @throws {RequestError} 429 `rate_limited`, before any payment is asked for
   */
  async countCheck(caller: Caller, headers: HeaderSink): Promise<void> {
    apply(await this.limits.checks.take(caller.ip), headers);
  }

  /** Counts a file of evidence: each is read from storage and may weigh megabytes. @throws {RequestError} 429 `rate_limited` */
  async countEvidence(caller: Caller, headers: HeaderSink): Promise<void> {
    apply(await this.limits.evidence.take(caller.ip), headers);
  }

  /** Counts a claim that is begun. @throws {RequestError} 429 `rate_limited` */
  async countClaim(caller: Caller, headers: HeaderSink): Promise<void> {
    apply(await this.limits.claims.take(caller.ip), headers);
  }

  /** Whether a claim may be checked for a caller; one that is refused takes nothing from others. */
  async mayCheckClaim({ ip }: Caller): Promise<boolean> {
    const { caller, network, all } = this.limits.claimChecks;
    if (!(await caller.take(ip)).allowed || !(await network.take(networkKey(ip))).allowed) return false;
    return (await all.take(ALL_CALLERS)).allowed;
  }

  /** Counts a free probe that an owner asked for, whichever owner of the host it is. @throws {RequestError} 429 `free_probes_used` */
  async countOwnerProbe(domain: string, headers: HeaderSink): Promise<void> {
    apply(await this.limits.ownerProbes.take(domain), headers, 'free_probes_used');
  }

  /** Counts a watch that is begun or changed, or an alert that is sent again. @throws {RequestError} 429 `rate_limited` */
  async countWatch(caller: Caller, headers: HeaderSink): Promise<void> {
    apply(await this.limits.watches.take(caller.ip), headers);
  }

  /**
   * Counts any request, in this process and without a round trip. This machine's own requests are not counted: behind a
   * proxy here that is not declared (`TRUSTED_PROXIES`) all callers would share one quota. Undefined when there is nothing
   * to wait for.
   * @throws {RequestError} 429 `rate_limited`
   */
  countRequest({ ip }: Caller, headers: HeaderSink): Promise<void> | undefined {
    if (isLoopback(ip)) return undefined;
    return this.limits.floods.take(ip).then((standing) => {
      apply(standing, headers);
    });
  }

  /**
   * Whether another payment of the caller is read: not while too many were refused (behaviour 9.14).
   * @throws {RequestError} 429 `rate_limited`
   */
  admitPayment({ ip }: Caller): void {
    const retryAfterSec = this.limits.refusedPayments.waitSec(ip);
    if (retryAfterSec > 0) throw new RequestError('rate_limited', TOO_MANY_REFUSED, { retryAfterSec });
  }

  /** Counts a payment that was refused. */
  countRefusedPayment({ ip }: Caller): Promise<void> {
    return this.limits.refusedPayments.count(ip);
  }

  /**
   * Counts a probe that a subscription includes, whichever caller asks for it.
   * @throws {RequestError} 429 `subscription_budget`
   */
  async countIncludedRefresh(subscriptionId: string, headers: HeaderSink): Promise<void> {
    apply(await this.limits.includedRefreshes.take(subscriptionId), headers, 'subscription_budget');
  }
}

/** Watches that one caller may begin or change in an hour, and alerts that are sent again for it. */
const WATCHES_PER_HOUR = 60;

/** All callers together may have so many times the refused payments of one. */
export const CALLERS = 10;

/** Checks of claims in an hour for each claim that a caller may begin; a network (/24, /48) has those of two callers. */
const CHECKS_PER_CLAIM = 4;
/** Checks of claims that all callers together have in an hour. */
const CHECKS_PER_HOUR = 600;

/** The limits of callers as configured. */
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

/** The message for a caller who has no requests left. */
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
