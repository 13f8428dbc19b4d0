import { isLoopback, type CallerLimit, type FloodGuard, type Standing } from '@app/limits';
import { RequestError } from '../http/request-error';

/** Whoever asks, as far as limits are concerned: a Fastify request, or what stands for one. */
export interface Caller {
  /** Network address, after trusted proxies. */
  readonly ip: string;
}

/** Where the headers of an answer are put before anybody knows whether it is an answer or an error. */
export interface HeaderSink {
  header(name: string, value: string): unknown;
}

/** What one caller may ask for, said in the headers of draft-ietf-httpapi-ratelimit-headers-10. */
export class RateLimits {
  constructor(
    private readonly checks: CallerLimit,
    private readonly floods: FloodGuard,
    private readonly subscriberLooks: CallerLimit,
  ) {}

  /**
   * Counts a utility check; called after its arguments were read, so that bad input costs nothing (contract 1).
   * @throws {RequestError} 429 `rate_limited`, before any payment is asked for
   */
  async countCheck(caller: Caller, headers: HeaderSink): Promise<void> {
    apply(await this.checks.take(caller.ip), headers, rateLimited);
  }

  /**
   * Counts any request, in this process and without a round trip. This machine's own requests are not counted: behind a
   * proxy here that nobody declared (`TRUSTED_PROXIES`) all callers would share one quota. Undefined when there is nothing
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
   * Counts a look that a subscription includes, whoever makes it.
   * @throws {RequestError} 429 `subscription_budget`
   */
  async countSubscriberLook(subscriptionId: string, headers: HeaderSink): Promise<void> {
    apply(await this.subscriberLooks.take(subscriptionId), headers, budgetSpent);
  }
}

function apply(standing: Standing, headers: HeaderSink, refusal: (standing: Standing) => RequestError): void {
  const { allowed, quota, remaining, resetSec } = standing;
  headers.header('ratelimit-policy', `"${quota.name}";q=${quota.points};w=${quota.windowSec}`);
  headers.header('ratelimit', `"${quota.name}";r=${remaining};t=${resetSec}`);
  if (!allowed) throw refusal(standing);
}

function rateLimited({ quota, resetSec }: Standing): RequestError {
  return new RequestError(
    429,
    'rate_limited',
    `you have made ${quota.points} requests of this kind within ${quota.windowSec} seconds; nothing was charged`,
    { retryAfterSec: resetSec },
  );
}

function budgetSpent({ quota, resetSec }: Standing): RequestError {
  return new RequestError(
    429,
    'subscription_budget',
    `this subscription includes ${quota.points} refreshes in 24 hours; without the credential a refresh can be paid for`,
    { retryAfterSec: resetSec },
  );
}
