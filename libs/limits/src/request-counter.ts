import { LRUCache } from 'lru-cache';
import { RateLimiterRes, type RateLimiterStoreAbstract } from 'rate-limiter-flexible';
import type { Counters } from './limit-store';
import { TargetBusyError } from './target-busy-error';

/** Requests taken from the shared counter at once: a probe makes some thirty, and one round trip each would be felt. */
const CHUNK = 8;
/** Keys whose prepaid requests a process remembers; a forgotten rest is merely not used. */
const MAX_KEYS = 20_000;
const WINDOW_SEC = 60;

interface Prepaid {
  left: number;
  /** End of the window it was taken from, as `performance.now()`. */
  readonly until: number;
}

/** Requests that a process took and has not used, by counter and key. */
export type PrepaidRequests = LRUCache<string, Promise<Prepaid>>;

export function prepaidRequests(): PrepaidRequests {
  return new LRUCache({ max: MAX_KEYS });
}

/**
 * Requests per minute under one key, shared by all processes. They are taken in chunks and used up from memory within
 * the same window, so that what is sent never exceeds what was counted; a rest that is not used is lost, not owed.
 */
export class RequestCounter {
  private readonly limiter: RateLimiterStoreAbstract;
  private readonly chunk: number;

  constructor(
    store: Counters,
    private readonly prepaid: PrepaidRequests,
    private readonly name: string,
    perMin: number,
  ) {
    this.limiter = store.limiter(name, perMin, WINDOW_SEC);
    this.chunk = Math.max(1, Math.min(CHUNK, Math.floor(perMin / CHUNK)));
  }

  /** @throws {TargetBusyError} the minute's requests are used up */
  async take(key: string): Promise<void> {
    const own = `${this.name} ${key}`;
    for (;;) {
      const known = this.prepaid.get(own) ?? this.fetch(key, own);
      const prepaid = await known;
      if (prepaid.left > 0 && performance.now() < prepaid.until) {
        prepaid.left -= 1;
        return;
      }
      if (this.prepaid.get(own) === known) this.prepaid.delete(own);
    }
  }

  /** Milliseconds until so many requests are left, as they are taken; 0 means now. */
  waitMs(key: string, requests = 1): Promise<number> {
    return waitOf(this.limiter, key, Math.ceil(requests / this.chunk) * this.chunk);
  }

  /** Calls that come while a chunk is on its way share it. */
  private fetch(key: string, own: string): Promise<Prepaid> {
    const fetched = consume(this.limiter, key, this.chunk).then((state) => ({
      left: this.chunk,
      until: performance.now() + state.msBeforeNext,
    }));
    this.prepaid.set(own, fetched);
    fetched.catch(() => this.prepaid.delete(own));
    return fetched;
  }
}

/**
 * Takes points. What is refused is given back, or a large run would use up what is left for smaller ones.
 * @throws {TargetBusyError} there are no `points` left; any other error means the store is away
 */
export async function consume(limiter: RateLimiterStoreAbstract, key: string, points: number): Promise<RateLimiterRes> {
  try {
    return await limiter.consume(key, points);
  } catch (thrown) {
    if (!(thrown instanceof RateLimiterRes)) throw thrown;
    await limiter.reward(key, points);
    throw new TargetBusyError(thrown.msBeforeNext);
  }
}

/** Milliseconds until `points` can be taken, or as many as there ever are; 0 means now. */
export async function waitOf(limiter: RateLimiterStoreAbstract, key: string, points = 1): Promise<number> {
  const state = await limiter.get(key);
  return state && state.remainingPoints < Math.min(points, limiter.points) ? Math.max(1, state.msBeforeNext) : 0;
}
