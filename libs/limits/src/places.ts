import { setTimeout as delay } from 'node:timers/promises';
import { RateLimiterRes, type RateLimiterStoreAbstract } from 'rate-limiter-flexible';
import type { LimitStore } from './limit-store';
import { TargetBusyError } from './target-busy-error';

/** A place is given back by itself after this: longer than it is kept and an exchange lasts, so only a dead worker loses one. */
const PLACE_SEC = 12;
/** A process keeps a place for its next request at the host this long at most, so that others get their turn. */
const KEPT_MS = 1_000;
/** A kept place that nobody asks for is given back after this. */
const IDLE_MS = 50;
/** How long to wait before taken places are looked at again; the same again at random keeps waiters apart. */
const POLL_MS = 25;

interface Held {
  readonly place: string;
  /** When it is given back at the latest, as `performance.now()`. */
  readonly until: number;
}

/**
 * Places for requests under way, so many per host, shared by all processes. A place is a counter of one in the limit
 * store: who counts first has it, who deletes it gives it back.
 */
export class Places {
  private readonly limiter: RateLimiterStoreAbstract;
  /** Places this process holds and does not use at the moment, by host. */
  private readonly idle = new Map<string, Held[]>();

  constructor(
    store: LimitStore,
    private readonly perHost: number,
  ) {
    this.limiter = store.limiter('place', 1, PLACE_SEC);
  }

  /**
   * Waits for a place and resolves to what gives it back.
   * @throws {TargetBusyError} others held all of them until `signal` ended the wait; the reason of a `signal` that ended
   * before that was known
   */
  async occupy(host: string, signal: AbortSignal): Promise<() => Promise<void>> {
    const first = Math.floor(Math.random() * this.perHost);
    for (let tries = 0; ; tries += 1) {
      if (signal.aborted) throw tries < this.perHost ? signal.reason : new TargetBusyError(PLACE_SEC * 1_000);
      if (tries > 0 && tries % this.perHost === 0) await delay(POLL_MS * (1 + Math.random()));
      const held = this.takeIdle(host) ?? (await this.take(`${host}#${(first + tries) % this.perHost}`));
      if (held) return () => this.leave(host, held);
    }
  }

  private takeIdle(host: string): Held | undefined {
    const held = this.idle.get(host)?.pop();
    if (this.idle.get(host)?.length === 0) this.idle.delete(host);
    return held;
  }

  private async take(place: string): Promise<Held | undefined> {
    try {
      await this.limiter.consume(place);
      return { place, until: performance.now() + KEPT_MS };
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return undefined;
      throw refusal;
    }
  }

  private async leave(host: string, held: Held): Promise<void> {
    const left = held.until - performance.now();
    if (left <= IDLE_MS) {
      await this.giveBack(held);
      return;
    }
    const kept = this.idle.get(host) ?? [];
    this.idle.set(host, [...kept, held]);
    setTimeout(() => {
      const now = this.idle.get(host) ?? [];
      if (!now.includes(held)) return;
      this.idle.set(
        host,
        now.filter((other) => other !== held),
      );
      void this.giveBack(held);
    }, IDLE_MS);
  }

  /** A place that cannot be given back comes back by itself. */
  private async giveBack({ place }: Held): Promise<void> {
    await this.limiter.delete(place).catch(() => undefined);
  }
}
