import ipaddr from 'ipaddr.js';
import type { RateLimiterStoreAbstract } from 'rate-limiter-flexible';
import type { LimitStore } from './limit-store';
import { Slots } from './slots';
import { consume, RequestCounter, waitOf } from './request-counter';
import { LONGEST_WAIT_SEC } from './target-busy-error';

/** `TARGET_*` of behaviour 12.3: what all callers and workers together may request from one host. */
export interface TargetLimits {
  readonly probesPer15Min: number;
  readonly requestsPerMin: number;
  readonly concurrency: number;
}

/** The host that a request goes to. */
export interface Target {
  readonly host: string;
  /** Registrable domain. */
  readonly site: string;
}

/** A registrable domain and an address block hold several hosts, so they may get the requests of this many hosts. */
const NEIGHBOURS = 4;

/**
 * The budgets of targets, shared through the limit store. A probe is counted when it begins, a request when it is sent
 * (redirects and repetitions too), to the host named in it, its registrable domain and every block its addresses
 * lie in. What is refused throws {@link TargetBusyError}; any other error means the store is away.
 */
export class TargetBudgets {
  private readonly probes: RateLimiterStoreAbstract;
  private readonly backOffs: RateLimiterStoreAbstract;
  private readonly slow: RateLimiterStoreAbstract;
  private readonly hosts: RequestCounter;
  private readonly sites: RequestCounter;
  private readonly blocks: RequestCounter;
  private readonly slots: Slots;

  constructor(store: LimitStore, limits: TargetLimits) {
    // 'look' and 'rest' are keys in the store: processes of an older version count under them too.
    this.probes = store.limiter('look', limits.probesPer15Min, LONGEST_WAIT_SEC);
    this.backOffs = store.limiter('rest', 1, LONGEST_WAIT_SEC);
    this.slow = store.limiter('slow', 1, LONGEST_WAIT_SEC);
    this.hosts = new RequestCounter(store, 'host', limits.requestsPerMin);
    this.sites = new RequestCounter(store, 'site', limits.requestsPerMin * NEIGHBOURS);
    this.blocks = new RequestCounter(store, 'block', limits.requestsPerMin * NEIGHBOURS);
    this.slots = new Slots(store, limits.concurrency);
  }

  /** Milliseconds until a new probe of the host may begin; 0 means now. Takes nothing. */
  async waitMs({ host, site }: Target): Promise<number> {
    const states = await Promise.all([
      waitOf(this.probes, host),
      waitOf(this.backOffs, host),
      this.hosts.waitMs(host),
      this.sites.waitMs(site),
    ]);
    return Math.max(...states);
  }

  /** Counts a probe that begins. */
  async beginProbe(host: string): Promise<void> {
    await consume(this.probes, host, 1);
  }

  /** Sends nothing to a host for as long as its `Retry-After` says, at most 15 minutes; the longest counts. */
  async backOff(host: string, seconds: number): Promise<void> {
    const wanted = Math.min(LONGEST_WAIT_SEC, Math.max(1, Math.ceil(seconds)));
    if ((await waitOf(this.backOffs, host)) < wanted * 1_000) await this.backOffs.block(host, wanted);
  }

  /** Sells no probe of a host that was too slow for one, for 15 minutes. */
  async noteTooSlow(host: string): Promise<void> {
    await this.slow.block(host, LONGEST_WAIT_SEC);
  }

  /** Milliseconds until a probe of a host that was too slow may be sold again; 0 means now. */
  slowMs(host: string): Promise<number> {
    return waitOf(this.slow, host);
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

  /** See {@link Slots.occupy}. */
  occupy(host: string, signal: AbortSignal, free: boolean): Promise<() => Promise<void>> {
    return this.slots.occupy(host, signal, free);
  }
}

/**
 * The network an address belongs to, in CIDR notation: /24 or, for IPv6, /48, what a site of one owner is given
 * (RFC 6177). The address must be a valid one.
 */
export function addressBlock(address: string): string {
  return ipaddr.parse(address).kind() === 'ipv4'
    ? `${ipaddr.IPv4.networkAddressFromCIDR(`${address}/24`).toString()}/24`
    : `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/48`).toString()}/48`;
}
