import { LRUCache } from 'lru-cache';
import { RateLimiterRes, type RateLimiterStoreAbstract } from 'rate-limiter-flexible';
import type { LimitStore } from './limit-store';
import { TargetBusyError } from './target-busy-error';

/** Requests taken from the shared counter at once: a probe makes some thirty, and one round trip each would be felt. */
const CHUNK = 8;
/** Keys whose prepaid requests are remembered; a forgotten rest is merely not used. */
const MAX_KEYS = 10_000;
const WINDOW_SEC = 60;

interface Prepaid {
  left: number;
  /** End of the window it was taken from, as `performance.now()`. */
  readonly until: number;
}

/**
 * Requests per minute under one key, shared by all processes. They are taken in chunks and used up from memory within
 * the same window, so that what is sent never exceeds what was counted; a rest that is not used is lost, not owed.
 */
export class RequestCounter {
  private readonly limiter: RateLimiterStoreAbstract;
  private readonly chunk: number;
  private readonly prepaid = new LRUCache<string, Promise<Prepaid>>({ max: MAX_KEYS });

  constructor(store: LimitStore, name: string, perMin: number) {
    this.limiter = store.limiter(name, perMin, WINDOW_SEC);
    this.chunk = Math.max(1, Math.min(CHUNK, Math.floor(perMin / CHUNK)));
  }

  /** @throws {TargetBusyError} the minute's requests are used up */
  async take(key: string): Promise<void> {
    for (;;) {
      const known = this.prepaid.get(key) ?? this.fetch(key);
      const prepaid = await known;
      if (prepaid.left > 0 && performance.now() < prepaid.until) {
        prepaid.left -= 1;
        return;
      }
      if (this.prepaid.get(key) === known) this.prepaid.delete(key);
    }
  }

  waitMs(key: string): Promise<number> {
    return waitOf(this.limiter, key);
  }

  /** Calls that come while a chunk is on its way share it. */
  private fetch(key: string): Promise<Prepaid> {
    const fetched = consume(this.limiter, key, this.chunk).then((state) => ({
      left: this.chunk,
      until: performance.now() + state.msBeforeNext,
    }));
    this.prepaid.set(key, fetched);
    fetched.catch(() => this.prepaid.delete(key));
    return fetched;
  }
}

/** @throws {TargetBusyError} there are no `points` left; any other error means the store is away */
export async function consume(limiter: RateLimiterStoreAbstract, key: string, points: number): Promise<RateLimiterRes> {
  return limiter.consume(key, points).catch((thrown: unknown) => {
    throw thrown instanceof RateLimiterRes ? new TargetBusyError(thrown.msBeforeNext) : thrown;
  });
}

/** Milliseconds until there is something to take again; 0 means now. */
export async function waitOf(limiter: RateLimiterStoreAbstract, key: string): Promise<number> {
  const state = await limiter.get(key);
  return state && state.remainingPoints <= 0 ? Math.max(1, state.msBeforeNext) : 0;
}
