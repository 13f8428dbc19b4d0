import { LRUCache } from 'lru-cache';
import { callerKey, type Quota } from './caller-limits';

/** How many callers are remembered; beyond that, the one with the oldest failure is dropped. */
const MAX_CALLERS = 10_000;

/**
 * Locks out a caller after too many failures within a window, until the window ends. It counts in this process only.
 * All addresses of an IPv6 /64 are one caller.
 */
export class Lockout {
  private readonly failures: LRUCache<string, number>;

  /** @param now a monotonic clock in milliseconds */
  constructor(
    private readonly quota: Quota,
    now: () => number = () => performance.now(),
  ) {
    this.failures = new LRUCache({
      max: MAX_CALLERS,
      ttl: quota.windowSec * 1_000,
      ttlResolution: 0,
      perf: { now },
    });
  }

  /** The number of remembered callers. */
  get size(): number {
    return this.failures.size;
  }

  isLockedOut(address: string): boolean {
    return (this.failures.get(callerKey(address)) ?? 0) >= this.quota.points;
  }

  /** Records a failure; the first one starts the window. */
  fail(address: string): void {
    const key = callerKey(address);
    const count = this.failures.get(key);
    this.failures.set(key, (count ?? 0) + 1, { noUpdateTTL: count !== undefined });
  }
}
