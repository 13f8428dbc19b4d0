import type { Config } from '@app/config';
import {
  CallerLimit,
  EVERYBODY,
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
  constructor(
    private readonly checks: CallerLimit,
    private readonly floods: FloodGuard,
    private readonly includedRefreshes: CallerLimit,
    private readonly refusedPayments: FailureLimit,
    private readonly evidence: CallerLimit,
    private readonly claims: CallerLimit,
    private readonly watches: CallerLimit,
    private readonly ownerProbes: CallerLimit,
    private readonly claimChecks: Readonly<Record<'caller' | 'network' | 'all', CallerLimit>>,
  ) {}

  /**
   * Counts a utility check; called after its arguments were read, so that bad input costs nothing (behaviour 7.7).
   * @throws {RequestError} 429 `rate_limited`, before any payment is asked for
   */
  async countCheck(caller: Caller, headers: HeaderSink): Promise<void> {
    apply(await this.checks.take(caller.ip), headers, rateLimited);
  }

  /** Counts a file of evidence: each is read from storage and may weigh megabytes. @throws {RequestError} 429 `rate_limited` */
  async countEvidence(caller: Caller, headers: HeaderSink): Promise<void> {
    apply(await this.evidence.take(caller.ip), headers, rateLimited);
  }

  /** Counts a claim that is begun. @throws {RequestError} 429 `rate_limited` */
  async countClaim(caller: Caller, headers: HeaderSink): Promise<void> {
    apply(await this.claims.take(caller.ip), headers, rateLimited);
  }

  /** Whether a claim may be checked for a caller; one that is refused takes nothing from others. */
  async mayCheckClaim({ ip }: Caller): Promise<boolean> {
    const { caller, network, all } = this.claimChecks;
    if (!(await caller.take(ip)).allowed || !(await network.take(networkKey(ip))).allowed) return false;
    return (await all.take(EVERYBODY)).allowed;
  }

  /** Counts a free probe that an owner asked for, whichever owner of the host it is. @throws {RequestError} 429 `free_probes_used` */
  async countOwnerProbe(domain: string, headers: HeaderSink): Promise<void> {
    apply(await this.ownerProbes.take(domain), headers, ownerProbesUsed);
  }

  /** Counts a watch that is begun, or an alert that is sent again. @throws {RequestError} 429 `rate_limited` */
  async countWatch(caller: Caller, headers: HeaderSink): Promise<void> {
    apply(await this.watches.take(caller.ip), headers, rateLimited);
  }

  /**
   * Counts any request, in this process and without a round trip. This machine's own requests are not counted: behind a
   * proxy here that is not declared (`TRUSTED_PROXIES`) all callers would share one quota. Undefined when there is nothing
   * to wait for.
   * @throws {RequestError} 429 `rate_limited`
   */
  countRequest({ ip }: Caller, headers: HeaderSink): Promise<void> | undefined {
    if (isLoopback(ip)) return undefined;
    return this.floods.take(ip).then((standing) => {
      apply(standing, headers, rateLimited);
    });
  }

  /**
   * Whether another payment of the caller is read: not while too many were refused (behaviour 9.14).
   * @throws {RequestError} 429 `rate_limited`
   */
  admitPayment({ ip }: Caller): void {
    const retryAfterSec = this.refusedPayments.waitSec(ip);
    if (retryAfterSec > 0) throw new RequestError('rate_limited', TOO_MANY_REFUSED, { retryAfterSec });
  }

  /** Counts a payment that was refused. */
  countRefusedPayment({ ip }: Caller): Promise<void> {
    return this.refusedPayments.count(ip);
  }

  /**
   * Counts a probe that a subscription includes, whichever caller asks for it.
   * @throws {RequestError} 429 `subscription_budget`
   */
  async countIncludedRefresh(subscriptionId: string, headers: HeaderSink): Promise<void> {
    apply(await this.includedRefreshes.take(subscriptionId), headers, budgetSpent);
  }
}

/** Watches that one caller may begin in an hour, and alerts that are sent again for it. */
const WATCHES_PER_HOUR = 60;

/** All callers together may have so many times the refused payments of one. */
export const CALLERS = 10;

/** Checks of claims in an hour for each claim that a caller may begin; a network (/24, /48) has those of two callers. */
const CHECKS_PER_CLAIM = 4;
/** Checks of claims that all callers together have in an hour. */
const CHECKS_PER_HOUR = 600;

/** The limits of callers as configured. @param store counts for all processes */
export function rateLimitsOf({ callers, subscriptions }: Config, store: LimitStore): RateLimits {
  const hourly = (name: string, points: number) => new CallerLimit(store, { name, points, windowSec: 3_600 });
  return new RateLimits(
    new CallerLimit(store, { name: 'checks', points: callers.checksPerMin, windowSec: 60 }),
    new FloodGuard({ name: 'requests', points: callers.requestsPerMin, windowSec: 60 }),
    new CallerLimit(store, { name: 'subscription', points: subscriptions.refreshesPerDay, windowSec: 86_400 }),
    new FailureLimit(
      new CallerLimit(store, { name: 'refused', points: callers.refusedPaymentsPerMin, windowSec: 60 }),
      new CallerLimit(store, { name: 'all_refused', points: callers.refusedPaymentsPerMin * CALLERS, windowSec: 60 }),
    ),
    new CallerLimit(store, { name: 'evidence', points: callers.evidencePerMin, windowSec: 60 }),
    hourly('claims', callers.claimsPerHour),
    hourly('watches', WATCHES_PER_HOUR),
    new CallerLimit(store, { name: 'owner_probes', points: callers.ownerProbesPerDay, windowSec: 86_400 }),
    {
      caller: hourly('claim_checks', callers.claimsPerHour * CHECKS_PER_CLAIM),
      network: hourly('network_claim_checks', callers.claimsPerHour * CHECKS_PER_CLAIM * 2),
      all: hourly('all_claim_checks', CHECKS_PER_HOUR),
    },
  );
}

const TOO_MANY_REFUSED = 'Too many payments of this caller were refused. Send the same payment again later.';

function apply(standing: Standing, headers: HeaderSink, errorOf: (standing: Standing) => RequestError): void {
  const { allowed, quota, remaining, resetSec } = standing;
  headers.header('ratelimit-policy', `"${quota.name}";q=${quota.points};w=${quota.windowSec}`);
  headers.header('ratelimit', `"${quota.name}";r=${remaining};t=${resetSec}`);
  if (!allowed) throw errorOf(standing);
}

function rateLimited({ quota, resetSec }: Standing): RequestError {
  return new RequestError(
    'rate_limited',
    `you have made ${quota.points} requests of this kind within ${quota.windowSec} seconds; nothing was charged`,
    { retryAfterSec: resetSec },
  );
}

function budgetSpent({ quota, resetSec }: Standing): RequestError {
  return new RequestError(
    'subscription_budget',
    `this subscription includes ${quota.points} refreshes in 24 hours; to pay for a single refresh, send no credential`,
    { retryAfterSec: resetSec },
  );
}

function ownerProbesUsed({ quota, resetSec }: Standing): RequestError {
  return new RequestError(
    'free_probes_used',
    `owners may ask for ${quota.points} free probes of a host in 24 hours; a paid one is possible now`,
    { retryAfterSec: resetSec },
  );
}
