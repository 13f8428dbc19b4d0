import { setTimeout as delay } from 'node:timers/promises';
import { RateLimiterRes, type RateLimiterStoreAbstract } from 'rate-limiter-flexible';
import type { Counters } from './limit-store';
import { TargetBusyError } from './target-busy-error';

/**
 * A slot expires after this time. It is longer than a slot is kept plus one exchange, so that only a crashed worker
 * loses one.
 */
const SLOT_SEC = 12;
/** The maximum time a process keeps a slot for its next requests to the host, so that others get their turn. */
const KEPT_MS = 1_000;
/** A kept slot is released if it is not used again within this time. */
const IDLE_MS = 50;
/**
 * After keeping a slot for the maximum time, a process pauses this long, which is longer than the others' polling
 * interval.
 */
const YIELD_MS = 60;
/** A wait shorter than this was not caused by other processes. */
const BUSY_MS = 1_500;
/** How often taken slots are tried again. A random extra of the same length keeps waiting processes apart. */
const POLL_MS = 25;

interface Held {
  readonly slot: string;
  /** When the slot was taken, as `performance.now()`. */
  readonly since: number;
}

/**
 * A limited number of concurrent requests per host, shared by all processes. A slot is a counter with one point in the
 * limit store: the process that counts first owns it, and deletes the counter to release it.
 */
export class Slots {
  private readonly limiter: RateLimiterStoreAbstract;
  /** Slots that this process keeps but is not using, by host. */
  private readonly idle = new Map<string, readonly Held[]>();
  /** Slots that this process leaves to others for a moment. */
  private readonly yielded = new Set<string>();

  constructor(
    store: Counters,
    private readonly perHost: number,
    private readonly slotSec = SLOT_SEC,
  ) {
    this.limiter = store.limiter('slot', 1, slotSec);
  }

  /**
   * Waits for a slot, and resolves to a function that releases it. Free probes use at most half of the slots, so that
   * the others are available for paid ones.
   * @throws {TargetBusyError} others held all slots for a long time before `signal` ended the wait; otherwise the
   * reason of `signal`
   */
  async occupy(host: string, signal: AbortSignal, free = false): Promise<() => Promise<void>> {
    const slots = Array.from({ length: this.perHost }, (_, index) => `${host}#${index}`).slice(
      free ? -Math.max(1, Math.floor(this.perHost / 2)) : 0,
    );
    const first = Math.floor(Math.random() * slots.length);
    const started = performance.now();
    for (let tries = 0; ; tries += 1) {
      if (signal.aborted) throw this.isBusy(started) ? new TargetBusyError(this.slotSec * 1_000) : signal.reason;
      if (tries > 0 && tries % slots.length === 0) await delay(POLL_MS * (1 + Math.random()));
      const held = this.takeIdle(host, slots) ?? (await this.take(slots[(first + tries) % slots.length] ?? host));
      if (held) return () => this.leave(host, held);
    }
  }

  private isBusy(started: number): boolean {
    return performance.now() - started >= BUSY_MS;
  }

  private takeIdle(host: string, slots: readonly string[]): Held | undefined {
    const held = this.idle.get(host)?.findLast(({ slot }) => slots.includes(slot));
    if (held) this.drop(host, held);
    return held;
  }

  /** False if another call took the slot meanwhile. */
  private drop(host: string, held: Held): boolean {
    const kept = this.idle.get(host) ?? [];
    const rest = kept.filter((other) => other !== held);
    if (rest.length > 0) this.idle.set(host, rest);
    else this.idle.delete(host);
    return rest.length < kept.length;
  }

  private async take(slot: string): Promise<Held | undefined> {
    if (this.yielded.has(slot)) return undefined;
    const since = performance.now(); // Measured before the store counts it, so that it expires here first.
    try {
      await this.limiter.consume(slot);
      return { slot, since };
    } catch (thrown) {
      if (thrown instanceof RateLimiterRes) return undefined;
      throw thrown;
    }
  }

  private async leave(host: string, held: Held): Promise<void> {
    if (performance.now() - held.since >= KEPT_MS - IDLE_MS) {
      this.yieldSlot(held);
      await this.giveBack(held);
      return;
    }
    this.idle.set(host, [...(this.idle.get(host) ?? []), held]);
    setTimeout(() => {
      if (this.drop(host, held)) void this.giveBack(held);
    }, IDLE_MS);
  }

  private yieldSlot({ slot }: Held): void {
    this.yielded.add(slot);
    setTimeout(() => this.yielded.delete(slot), YIELD_MS).unref();
  }

  /** A slot that could not be released expires, and then another process can take it. */
  private async giveBack({ slot, since }: Held): Promise<void> {
    if (performance.now() - since >= this.slotSec * 1_000) return;
    await this.limiter.delete(slot).catch(() => undefined);
  }
}
