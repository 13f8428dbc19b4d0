import { LRUCache } from 'lru-cache';
import { callerKey, type Quota } from './caller-limits';

/** Maximum number of remembered callers; then the one with the oldest failure is forgotten. */
const MAX_CALLERS = 10_000;

/**
 * Shuts a caller out who failed too often within a window, until the window ends. Counts in this process, and an IPv6
 * caller by its /64: it commands every address of it.
 */
export class Lockout {
  private readonly failures: LRUCache<string, number>;

  /** @param now milliseconds of a clock that only goes forward */
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

  /** Callers remembered now. */
  get size(): number {
    return this.failures.size;
  }

  isLockedOut(address: string): boolean {
    return (this.failures.get(callerKey(address)) ?? 0) >= this.quota.points;
  }

  /** Counts a failure; the window begins with the first one. */
  fail(address: string): void {
    const key = callerKey(address);
    const count = this.failures.get(key);
    this.failures.set(key, (count ?? 0) + 1, { noUpdateTTL: count !== undefined });
  }
}
