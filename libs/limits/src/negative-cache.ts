import type { RateLimiterStoreAbstract } from 'rate-limiter-flexible';
import type { Counters } from './limit-store';

/**
 * How long a failed name is not resolved again, in seconds. For DNS failures it is one minute, because an owner probes
 * again right after a repair (RFC 2308 and RFC 9520 allow hours and five minutes). For a name that resolves to a
 * forbidden address it is ten minutes.
 */
const REMEMBERED_SEC = {
  dns_nxdomain: 60,
  dns_timeout: 60,
  dns_failure: 60,
  address_refused: 600,
} as const;

/** Why a name could not be resolved, from the prober's list of reasons. */
export type UnresolvedReason = keyof typeof REMEMBERED_SEC;

const REASONS = Object.keys(REMEMBERED_SEC) as readonly UnresolvedReason[];

/**
 * Names that recently failed to resolve, shared by all workers. Only DNS results are remembered: a host that has an
 * address gets the requests of every paid probe.
 */
export class NegativeCache {
  private readonly names: RateLimiterStoreAbstract;

  constructor(store: Counters) {
    this.names = store.limiter('unfound', REASONS.length, 1);
  }

  /** Why the name recently failed to resolve; undefined if nothing is known. */
  async recall(name: string): Promise<UnresolvedReason | undefined> {
    const state = await this.names.get(name);
    return state === null ? undefined : REASONS[state.consumedPoints - 1];
  }

  /** Remembers the reason for its time; other kinds of reasons are ignored. */
  async remember(name: string, reason: string): Promise<void> {
    const index = REASONS.findIndex((known) => known === reason);
    const known = REASONS[index];
    if (known) await this.names.set(name, index + 1, REMEMBERED_SEC[known]);
  }
}
