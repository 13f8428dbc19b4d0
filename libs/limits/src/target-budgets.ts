import type { RateLimiterStoreAbstract } from 'rate-limiter-flexible';
import { addressBlock } from './address-block';
import type { LimitStore } from './limit-store';
import { Places } from './places';
import { consume, RequestCounter, waitOf } from './request-counter';
import { LONGEST_WAIT_SEC } from './target-busy-error';

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
  private readonly places: Places;

  constructor(store: LimitStore, limits: TargetLimits) {
    this.looks = store.limiter('look', limits.probesPer15Min, LONGEST_WAIT_SEC);
    this.rests = store.limiter('rest', 1, LONGEST_WAIT_SEC);
    this.hosts = new RequestCounter(store, 'host', limits.requestsPerMin);
    this.sites = new RequestCounter(store, 'site', limits.requestsPerMin * NEIGHBOURS);
    this.blocks = new RequestCounter(store, 'block', limits.requestsPerMin * NEIGHBOURS);
    this.places = new Places(store, limits.concurrency);
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

  /** Leaves a host alone for as long as it asked (`Retry-After`), at most 15 minutes; a shorter wish ends no longer one. */
  async rest(host: string, seconds: number): Promise<void> {
    const wanted = Math.min(LONGEST_WAIT_SEC, Math.max(1, Math.ceil(seconds)));
    if ((await waitOf(this.rests, host)) < wanted * 1_000) await this.rests.block(host, wanted);
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

  /** See {@link Places.occupy}. */
  occupy(host: string, signal: AbortSignal): Promise<() => Promise<void>> {
    return this.places.occupy(host, signal);
  }
}
