import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory, RateLimiterRes, type RateLimiterAbstract } from 'rate-limiter-flexible';
import { within } from '@app/platform';
import { addressBlock } from './address-block';
import { STORE_TIMEOUT_MS, type Counters } from './limit-store';

/** A quota: the number of requests per window and caller. */
export interface Quota {
  /** Name of the counter, also used as policy name in the headers. */
  readonly name: string;
  readonly points: number;
  readonly windowSec: number;
}

/** What is left of a caller's quota after a request. */
export interface Standing {
  readonly allowed: boolean;
  readonly quota: Quota;
  readonly remaining: number;
  /** Whole seconds until the window ends, at least 1. */
  readonly resetSec: number;
}

/**
 * Counts the requests of callers in the shared store, so that a caller has one quota for all gateways. While the store
 * is unavailable, each process counts for itself, because the service must work without it.
 */
export class CallerLimit {
  private readonly shared: RateLimiterAbstract;
  private readonly own: RateLimiterAbstract;

  constructor(
    store: Counters,
    private readonly quota: Quota,
  ) {
    this.shared = store.limiter(`caller_${quota.name}`, quota.points, quota.windowSec);
    this.own = new RateLimiterMemory({ points: quota.points, duration: quota.windowSec });
  }

  /** Counts one request of the caller at an address. */
  async take(address: string): Promise<Standing> {
    const key = callerKey(address);
    const asked = within(STORE_TIMEOUT_MS, consume(this.shared, key), storeUnavailable);
    const shared = await asked.catch(() => consume(this.own, key));
    return standingOf(shared, this.quota);
  }
}

function storeUnavailable(): never {
  throw new Error('the rate limit store did not respond');
}

/** The counter of all callers together. */
export const ALL_CALLERS = 'everybody';
/** How many blocked callers are remembered. */
const MAX_WAITING = 20_000;

/**
 * Blocks a caller after too many failed requests. When all callers together reach their own limit, one failure is
 * enough to be blocked; a caller without failures is never blocked. Checking needs no round trip, only recording a
 * failure does.
 */
export class FailureLimit {
  private readonly waiting = new LRUCache<string, true>({ max: MAX_WAITING });

  constructor(
    private readonly each: CallerLimit,
    private readonly all: CallerLimit,
  ) {}

  /** How many seconds the caller at an address must wait; 0 if not blocked. */
  waitSec(address: string): number {
    return Math.ceil(this.waiting.getRemainingTTL(callerKey(address)) / 1_000);
  }

  /** Records a failed request of the caller. */
  async count(address: string): Promise<void> {
    const standings = await Promise.all([this.each.take(address), this.all.take(ALL_CALLERS)]);
    const waits = standings.filter(({ remaining }) => remaining === 0).map(({ resetSec }) => resetSec * 1_000);
    if (waits.length > 0) this.waiting.set(callerKey(address), true, { ttl: Math.max(...waits) });
  }
}

/** Counts in this process only, without a round trip, because every request passes it. */
export class FloodGuard {
  private readonly limiter: RateLimiterMemory;

  constructor(private readonly quota: Quota) {
    this.limiter = new RateLimiterMemory({ points: quota.points, duration: quota.windowSec });
  }

  async take(address: string): Promise<Standing> {
    return standingOf(await consume(this.limiter, callerKey(address)), this.quota);
  }
}

/**
 * The identity of an address for limits. An IPv6 caller controls its whole /64, so the /64 counts; an IPv4-mapped
 * address counts as IPv4.
 */
export function callerKey(address: string): string {
  return facts(address).key;
}

/** The network that one party may control: the /24 of an IPv4 address, the /48 of an IPv6 address. */
export function networkKey(address: string): string {
  return facts(address).network;
}

/** Whether an address belongs to this machine. */
export function isLoopback(address: string): boolean {
  return facts(address).loopback;
}

interface AddressFacts {
  readonly key: string;
  readonly network: string;
  readonly loopback: boolean;
}

/** Cached, because parsing an address takes as long as answering a request. */
const known = new LRUCache<string, AddressFacts>({ max: 5_000 });

function facts(address: string): AddressFacts {
  const seen = known.get(address);
  if (seen) return seen;
  const read = readAddress(address);
  known.set(address, read);
  return read;
}

function readAddress(address: string): AddressFacts {
  if (!ipaddr.isValid(address)) return { key: address, network: address, loopback: false };
  const parsed = ipaddr.process(address);
  const text = parsed.toString();
  const loopback = parsed.range() === 'loopback';
  const key = parsed.kind() === 'ipv4' ? text : `${ipaddr.IPv6.networkAddressFromCIDR(`${text}/64`).toString()}/64`;
  return { key, network: addressBlock(text), loopback };
}

/** @throws errors of the store; an exhausted limit is returned instead */
async function consume(limiter: RateLimiterAbstract, key: string): Promise<RateLimiterRes & { refused?: true }> {
  try {
    return await limiter.consume(key);
  } catch (thrown) {
    if (thrown instanceof RateLimiterRes) return Object.assign(thrown, { refused: true as const });
    throw thrown;
  }
}

function standingOf(state: RateLimiterRes & { refused?: true }, quota: Quota): Standing {
  return {
    allowed: state.refused !== true,
    quota,
    remaining: Math.max(0, state.remainingPoints),
    resetSec: Math.max(1, Math.ceil(state.msBeforeNext / 1_000)),
  };
}
