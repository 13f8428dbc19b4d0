import type { RateLimiterStoreAbstract } from 'rate-limiter-flexible';
import type { Counters } from './limit-store';

/**
 * How long a name that could not be found is not resolved again, in seconds. A minute for what the DNS said or did not
 * say: its owner probes again right after a repair (RFC 2308 and RFC 9520 allow hours and five minutes).
 * Ten for a name that leads somewhere no probe goes.
 */
const REMEMBERED_SEC = {
  dns_nxdomain: 60,
  dns_timeout: 60,
  dns_failure: 60,
  address_refused: 600,
} as const;

/** Why a name was not found, in words of the prober's closed list. */
export type UnresolvedReason = keyof typeof REMEMBERED_SEC;

const REASONS = Object.keys(REMEMBERED_SEC) as readonly UnresolvedReason[];

/**
 * Names that were not found lately, shared by all workers. Only what the DNS says is remembered: a host that has an
 * address gets the requests of every probe that is paid for.
 */
export class NegativeCache {
  private readonly names: RateLimiterStoreAbstract;

  constructor(store: Counters) {
    this.names = store.limiter('unfound', REASONS.length, 1);
  }

  /** Why the name was not found lately; undefined when nothing is known. */
  async recall(name: string): Promise<UnresolvedReason | undefined> {
    const state = await this.names.get(name);
    return state === null ? undefined : REASONS[state.consumedPoints - 1];
  }

  /** Keeps the reason for its time; one that is not about finding a name is not kept. */
  async remember(name: string, reason: string): Promise<void> {
    const index = REASONS.findIndex((known) => known === reason);
    const known = REASONS[index];
    if (known) await this.names.set(name, index + 1, REMEMBERED_SEC[known]);
  }
}
