import { setTimeout as delay } from 'node:timers/promises';
import { RateLimiterRes, type RateLimiterStoreAbstract } from 'rate-limiter-flexible';
import { addressBlock } from './address-block';
import type { LimitStore } from './limit-store';
import { consume, RequestCounter, waitOf } from './request-counter';
import { LONGEST_WAIT_SEC, TargetBusyError } from './target-busy-error';

/** `TARGET_*` of contract 7: what one probed host may be asked for by all callers and workers together. */
export interface TargetLimits {
  readonly probesPer15Min: number;
  readonly requestsPerMin: number;
  readonly concurrency: number;
}

/** Whom a request goes to. */
export interface Target {
  readonly host: string;
  /** Registrable domain. */
  readonly site: string;
}

/** A registrable domain and an address block hold several hosts, so they may be asked for this many hosts' worth. */
const NEIGHBOURS = 4;

/** A place is given back by itself after this: longer than any exchange lasts, so only a dead worker loses one. */
const PLACE_SEC = 10;

/** How long to wait before a taken place is looked at again; the same again at random keeps waiters apart. */
const PLACE_POLL_MS = 25;

/**
 * The budgets of targets, shared through the limit store. A look is counted when it begins, a request when it is sent
 * (redirect hops and repetitions too), to the host named in it, its registrable domain and every block its addresses
 * lie in. What is refused throws {@link TargetBusyError}; any other error means the store is away.
 */
export class TargetBudgets {
  private readonly looks: RateLimiterStoreAbstract;
  private readonly rests: RateLimiterStoreAbstract;
  private readonly hosts: RequestCounter;
  private readonly sites: RequestCounter;
  private readonly blocks: RequestCounter;
  private readonly places: RateLimiterStoreAbstract;

  constructor(
    store: LimitStore,
    private readonly limits: TargetLimits,
  ) {
    this.looks = store.limiter('look', limits.probesPer15Min, LONGEST_WAIT_SEC);
    this.rests = store.limiter('rest', 1, LONGEST_WAIT_SEC);
    this.hosts = new RequestCounter(store, 'host', limits.requestsPerMin);
    this.sites = new RequestCounter(store, 'site', limits.requestsPerMin * NEIGHBOURS);
    this.blocks = new RequestCounter(store, 'block', limits.requestsPerMin * NEIGHBOURS);
    this.places = store.limiter('place', 1, PLACE_SEC);
  }

  /** Milliseconds until a new look at the host may begin; 0 means now. Takes nothing. */
  async waitMs({ host, site }: Target): Promise<number> {
    const states = await Promise.all([
      waitOf(this.looks, host),
      waitOf(this.rests, host),
      this.hosts.waitMs(host),
      this.sites.waitMs(site),
    ]);
    return Math.max(...states);
  }

  /** Counts a look that begins. */
  async beginLook(host: string): Promise<void> {
    await consume(this.looks, host, 1);
  }

  /** Leaves a host alone for as long as it asked (`Retry-After`), at most 15 minutes. */
  async rest(host: string, seconds: number): Promise<void> {
    await this.rests.block(host, Math.min(LONGEST_WAIT_SEC, Math.max(1, Math.ceil(seconds))));
  }

  /** Counts one request about to be sent. */
  async spend({ host, site }: Target, addresses: readonly string[]): Promise<void> {
    const blocks = new Set(addresses.map(addressBlock));
    await Promise.all([
      this.hosts.take(host),
      this.sites.take(site),
      ...[...blocks].map((block) => this.blocks.take(block)),
    ]);
  }

  /**
   * Waits for one of the host's places for requests under way, and resolves to what gives it back.
   * @throws {TargetBusyError} others held all of them until `signal` ended the wait; the reason of a `signal` that ended
   * before that was known
   */
  async occupy(host: string, signal: AbortSignal): Promise<() => Promise<void>> {
    const { concurrency } = this.limits;
    const first = Math.floor(Math.random() * concurrency);
    for (let tries = 0; ; tries += 1) {
      if (signal.aborted) throw tries < concurrency ? signal.reason : new TargetBusyError(PLACE_SEC * 1_000);
      if (tries > 0 && tries % concurrency === 0) await delay(PLACE_POLL_MS * (1 + Math.random()));
      const place = `${host}#${(first + tries) % concurrency}`;
      if (await isFree(this.places, place)) {
        return async () => {
          await this.places.delete(place).catch(() => undefined); // then it comes back by itself
        };
      }
    }
  }
}

async function isFree(limiter: RateLimiterStoreAbstract, key: string): Promise<boolean> {
  try {
    await limiter.consume(key);
    return true;
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return false;
    throw refusal;
  }
}
