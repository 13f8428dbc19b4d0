import { LRUCache } from 'lru-cache';
import { RateLimiterRes, type RateLimiterStoreAbstract } from 'rate-limiter-flexible';
import type { Counters } from './limit-store';
import { TargetBusyError } from './target-busy-error';

/**
 * How many requests are taken from the shared counter at once. A probe makes about thirty, and a round trip for each
 * would be slow.
 */
const CHUNK = 8;
/** For how many keys a process remembers taken requests; what it forgets is simply not used. */
const MAX_KEYS = 20_000;
const WINDOW_SEC = 60;

interface Prepaid {
  left: number;
  /** End of the counter's window, as `performance.now()`. */
  readonly until: number;
}

/** Requests that a process has taken but not yet sent, by counter and key. */
export type PrepaidRequests = LRUCache<string, Promise<Prepaid>>;

export function prepaidRequests(): PrepaidRequests {
  return new LRUCache({ max: MAX_KEYS });
}

/**
 * Limits the requests per minute under one key, for all processes together. Requests are taken from the shared counter
 * in chunks and sent within the same window, so that never more is sent than was counted. Unused ones expire.
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

  /** @throws {TargetBusyError} the limit of this minute is reached */
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

  /** Milliseconds until this many requests are available, given how they are taken; 0 means now. */
  waitMs(key: string, requests = 1): Promise<number> {
    return waitOf(this.limiter, key, Math.ceil(requests / this.chunk) * this.chunk);
  }

  /** Calls that arrive while a chunk is being fetched share it. */
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
 * Takes points. Points of a refused request are returned, because otherwise a large run would use up what is left for
 * smaller ones.
 * @throws {TargetBusyError} fewer than `points` are left; any other error means that the store is unavailable
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

/** Milliseconds until `points`, or the maximum if that is lower, can be taken; 0 means now. */
export async function waitOf(limiter: RateLimiterStoreAbstract, key: string, points = 1): Promise<number> {
  const state = await limiter.get(key);
  return state && state.remainingPoints < Math.min(points, limiter.points) ? Math.max(1, state.msBeforeNext) : 0;
}
