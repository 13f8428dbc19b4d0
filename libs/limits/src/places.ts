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
/** Having kept a place for its whole time, a process leaves it to the others this long: longer than any of them waits. */
const YIELD_MS = 60;
/** Who waited less than this when his time was up was not kept waiting by others. */
const BUSY_MS = 1_500;
/** How long to wait before taken places are looked at again; the same again at random keeps waiters apart. */
const POLL_MS = 25;

interface Held {
  readonly place: string;
  /** When it was taken, as `performance.now()`. */
  readonly since: number;
}

/**
 * Places for requests under way, so many per host, shared by all processes. A place is a counter of one in the limit
 * store: who counts first has it, who deletes it gives it back.
 */
export class Places {
  private readonly limiter: RateLimiterStoreAbstract;
  /** Places this process holds and does not use at the moment, by host. */
  private readonly idle = new Map<string, readonly Held[]>();
  /** Places that are left to others for a moment. */
  private readonly yielded = new Set<string>();

  constructor(
    store: LimitStore,
    private readonly perHost: number,
    private readonly placeSec = PLACE_SEC,
  ) {
    this.limiter = store.limiter('place', 1, placeSec);
  }

  /**
   * Waits for a place and resolves to what gives it back.
   * @throws {TargetBusyError} others held all of them for long when `signal` ended the wait; the reason of a `signal` that
   * ended before that
   */
  async occupy(host: string, signal: AbortSignal): Promise<() => Promise<void>> {
    const first = Math.floor(Math.random() * this.perHost);
    const asked = performance.now();
    for (let tries = 0; ; tries += 1) {
      if (signal.aborted) throw this.isBusy(asked) ? new TargetBusyError(this.placeSec * 1_000) : signal.reason;
      if (tries > 0 && tries % this.perHost === 0) await delay(POLL_MS * (1 + Math.random()));
      const held = this.takeIdle(host) ?? (await this.take(`${host}#${(first + tries) % this.perHost}`));
      if (held) return () => this.leave(host, held);
    }
  }

  private isBusy(asked: number): boolean {
    return performance.now() - asked >= BUSY_MS;
  }

  private takeIdle(host: string): Held | undefined {
    const held = this.idle.get(host)?.at(-1);
    if (held) this.drop(host, held);
    return held;
  }

  /** False when somebody else took it meanwhile. */
  private drop(host: string, held: Held): boolean {
    const kept = this.idle.get(host) ?? [];
    const rest = kept.filter((other) => other !== held);
    if (rest.length > 0) this.idle.set(host, rest);
    else this.idle.delete(host);
    return rest.length < kept.length;
  }

  private async take(place: string): Promise<Held | undefined> {
    if (this.yielded.has(place)) return undefined;
    const since = performance.now(); // before it is counted, so that it ends here before it ends in the store
    try {
      await this.limiter.consume(place);
      return { place, since };
    } catch (refusal) {
      if (refusal instanceof RateLimiterRes) return undefined;
      throw refusal;
    }
  }

  private async leave(host: string, held: Held): Promise<void> {
    if (performance.now() - held.since >= KEPT_MS - IDLE_MS) {
      this.yieldPlace(held);
      await this.giveBack(held);
      return;
    }
    this.idle.set(host, [...(this.idle.get(host) ?? []), held]);
    setTimeout(() => {
      if (this.drop(host, held)) void this.giveBack(held);
    }, IDLE_MS);
  }

  private yieldPlace({ place }: Held): void {
    this.yielded.add(place);
    setTimeout(() => this.yielded.delete(place), YIELD_MS).unref();
  }

  /** A place that cannot be given back comes back by itself; one that did may be another's by now. */
  private async giveBack({ place, since }: Held): Promise<void> {
    if (performance.now() - since >= this.placeSec * 1_000) return;
    await this.limiter.delete(place).catch(() => undefined);
  }
}
