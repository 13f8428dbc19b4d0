import { LRUCache } from 'lru-cache';
import type { RateLimiterStoreAbstract } from 'rate-limiter-flexible';
import { countedBlocks } from './address-block';
import type { Counters, LimitStore, SharedTexts } from './limit-store';
import { dayPot, freeHalf, FULL_WEIGHT, PROBE_KINDS, shareOf, weightOf, type ProbeKind } from './probe-kinds';
import { Slots } from './slots';
import { consume, prepaidRequests, RequestCounter, waitOf } from './request-counter';
import { LONGEST_WAIT_SEC } from './target-busy-error';

/** `TARGET_*` of behaviour 12.3: how much all callers and workers together may request from one host. */
export interface TargetLimits {
  /** Full probes; smaller ones count as a fraction. */
  readonly probesPer15Min: number;
  readonly requestsPerMin: number;
  readonly concurrency: number;
}

/** The target host of a request. */
export interface Target {
  readonly host: string;
  /** Registrable domain. */
  readonly site: string;
}

/** The budget of one probe of any kind. */
export interface ProbeBudget {
  /** Whether the probe is free. */
  readonly free: boolean;
  /** See {@link Slots.occupy}. */
  occupy(host: string, signal: AbortSignal): Promise<() => Promise<void>>;
  /** Counts a request before it is sent. @throws {TargetBusyError} */
  spend(target: Target, addresses: readonly string[]): Promise<void>;
}

/** A registrable domain or an address block contains several hosts, so it gets the budget of this many. */
const NEIGHBORS = 4;
const DAY_SEC = 86_400;
/** The default of `FREE_PROBES_PER_SITE_DAY`. */
const FREE_PER_SITE_DAY = 8;
/** For how many hosts a process remembers the address blocks, and for how long. */
const KNOWN_BLOCKS = { max: 10_000, ttl: 60_000 };

/** The budget of one free kind (behaviour 12.10). */
class Pot {
  private readonly requests: Readonly<Record<'site' | 'block', readonly RequestCounter[]>>;
  private readonly days: Readonly<Record<'site' | 'block', RateLimiterStoreAbstract>> | undefined;

  /**
   * @param counterOf creates a counter of requests per minute under a name
   * @param ofAll the shared budget of all free kinds
   */
  constructor(
    store: Counters,
    counterOf: (name: string, perMin: number) => RequestCounter,
    kind: ProbeKind,
    {
      requestsPerMin,
      freeProbesPerSiteDay,
    }: { readonly requestsPerMin: number; readonly freeProbesPerSiteDay: number },
    ofAll: (of: 'site' | 'block') => readonly RequestCounter[],
  ) {
    const counters = (of: 'site' | 'block') => [
      counterOf(`${kind}_${of}`, shareOf(kind, requestsPerMin)),
      ...ofAll(of),
    ];
    this.requests = { site: counters('site'), block: counters('block') };
    const day = dayPot(kind, freeProbesPerSiteDay);
    const limiter = (of: 'site' | 'block', points: number) => store.limiter(`${kind}_${of}_day`, points, DAY_SEC);
    this.days = day && { site: limiter('site', day.site), block: limiter('block', day.block) };
  }

  async waitMs(of: 'site' | 'block', key: string, requests: number): Promise<number> {
    const minute = this.requests[of].map((counter) => counter.waitMs(key, requests));
    const day = this.days ? waitOf(this.days[of], key) : 0;
    return Math.max(...(await Promise.all([...minute, day])));
  }

  /** Counts a probe that starts. */
  async begin(of: 'site' | 'block', key: string): Promise<void> {
    if (this.days) await consume(this.days[of], key, 1);
  }

  async take(of: 'site' | 'block', key: string): Promise<void> {
    await Promise.all(this.requests[of].map((counter) => counter.take(key)));
  }
}

/**
 * The budgets of targets, shared through the limit store. A probe is counted when it starts, and a request when it is
 * sent (including redirects and retries), against its host, the host's registrable domain and every block of its
 * addresses. Free work also counts against the pot of its kind. Refusals throw {@link TargetBusyError}; any other error
 * means that the store is unavailable.
 */
export class TargetBudgets {
  /** Weights of all probes, and of free ones. */
  private readonly weights: RateLimiterStoreAbstract;
  private readonly freeWeights: RateLimiterStoreAbstract;
  private readonly backOffs: RateLimiterStoreAbstract;
  private readonly slow: RateLimiterStoreAbstract;
  private readonly hosts: RequestCounter;
  private readonly freeHosts: RequestCounter;
  private readonly sites: RequestCounter;
  private readonly blocks: RequestCounter;
  private readonly pots: ReadonlyMap<ProbeKind, Pot>;
  private readonly slots: Slots;
  private readonly blocksOfHosts: SharedTexts;
  private readonly knownBlocks = new LRUCache<string, string>(KNOWN_BLOCKS);

  constructor(store: LimitStore, limits: TargetLimits, freeProbesPerSiteDay = FREE_PER_SITE_DAY) {
    const { probesPer15Min, requestsPerMin } = limits;
    const weight = probesPer15Min * FULL_WEIGHT;
    const around = requestsPerMin * NEIGHBORS;
    this.weights = store.limiter('weight', weight, LONGEST_WAIT_SEC);
    this.freeWeights = store.limiter('free_weight', freeHalf(weight, FULL_WEIGHT), LONGEST_WAIT_SEC);
    this.backOffs = store.limiter('rest', 1, LONGEST_WAIT_SEC);
    this.slow = store.limiter('slow', 1, LONGEST_WAIT_SEC);
    const prepaid = prepaidRequests();
    const counterOf = (name: string, perMin: number) => new RequestCounter(store, prepaid, name, perMin);
    this.hosts = counterOf('host', requestsPerMin);
    this.freeHosts = counterOf('free_host', freeHalf(requestsPerMin));
    this.sites = counterOf('site', around);
    this.blocks = counterOf('block', around);
    const ofKind = { requestsPerMin: around, freeProbesPerSiteDay };
    const free = (Object.keys(PROBE_KINDS) as ProbeKind[]).filter((kind) => kind !== 'paid');
    // If the limits are low, pots that fit one probe each add up to more than the free half.
    const isTight = free.reduce((sum, kind) => sum + shareOf(kind, around), 0) > freeHalf(around);
    const ofAll = (of: string) => (isTight ? [counterOf(`free_${of}`, freeHalf(around))] : []);
    this.pots = new Map(free.map((kind) => [kind, new Pot(store, counterOf, kind, ofKind, ofAll)]));
    this.slots = new Slots(store, limits.concurrency);
    this.blocksOfHosts = store.texts('blocks', DAY_SEC);
  }

  /**
   * Milliseconds until a new run of this kind may start and send all its requests; 0 means now. Takes nothing. Blocks
   * only count if a worker reached the host within a day.
   * @param together how many equal runs, of possibly neighboring hosts, will start at once
   */
  async waitMs(
    { host, site }: Target,
    kind: ProbeKind = 'paid',
    requests: number = PROBE_KINDS[kind].requests,
    together = 1,
  ): Promise<number> {
    const weight = weightOf(requests);
    const around = requests * together;
    const blocks = await this.blocksOf(host);
    const pot = this.pots.get(kind);
    const ofFree = pot && [
      waitOf(this.freeWeights, host, weight),
      this.freeHosts.waitMs(host, requests),
      pot.waitMs('site', site, around),
      ...blocks.map((block) => pot.waitMs('block', block, around)),
    ];
    const waits = await Promise.all([
      waitOf(this.weights, host, weight),
      waitOf(this.backOffs, host),
      this.hosts.waitMs(host, requests),
      this.sites.waitMs(site, around),
      ...blocks.map((block) => this.blocks.waitMs(block, around)),
      ...(ofFree ?? []),
    ]);
    return Math.max(...waits);
  }

  /** Counts a run that starts. @throws {TargetBusyError} */
  async begin({ host, site }: Target, kind: ProbeKind, requests: number = PROBE_KINDS[kind].requests): Promise<void> {
    const weight = weightOf(requests);
    const pot = this.pots.get(kind);
    const taken: RateLimiterStoreAbstract[] = [];
    const take = async (limiter: RateLimiterStoreAbstract): Promise<void> => {
      await consume(limiter, host, weight);
      taken.push(limiter);
    };
    try {
      await take(this.weights);
      if (pot) await take(this.freeWeights);
      // The daily pot comes last, so that a busy host does not use up its site's day.
      await pot?.begin('site', site);
    } catch (error) {
      await Promise.all(taken.map((limiter) => limiter.reward(host, weight)));
      throw error;
    }
  }

  /** The budget of one probe, which counts once in the pot of each block it reaches. */
  ofProbe(kind: ProbeKind): ProbeBudget {
    const free = kind !== 'paid';
    const pot = this.pots.get(kind);
    const begun = new Map<string, Promise<void>>();
    const begin = (block: string): Promise<void> => {
      const counting = begun.get(block) ?? pot?.begin('block', block) ?? Promise.resolve();
      begun.set(block, counting);
      return counting;
    };
    return {
      free,
      occupy: (host, signal) => this.slots.occupy(host, signal, free),
      spend: async ({ host, site }, addresses) => {
        const blocks = countedBlocks(addresses);
        await Promise.all([this.rememberBlocks(host, blocks), ...blocks.map(begin)]);
        if (pot) {
          const own = blocks.map((block) => pot.take('block', block));
          await Promise.all([this.freeHosts.take(host), pot.take('site', site), ...own]);
        }
        const taken = blocks.map((block) => this.blocks.take(block));
        await Promise.all([this.hosts.take(host), this.sites.take(site), ...taken]);
      },
    };
  }

  /** Pauses requests to a host for the time of its `Retry-After`, at most 15 minutes; the longest pause wins. */
  async backOff(host: string, seconds: number): Promise<void> {
    const wanted = Math.min(LONGEST_WAIT_SEC, Math.max(1, Math.ceil(seconds)));
    if ((await waitOf(this.backOffs, host)) < wanted * 1_000) await this.backOffs.block(host, wanted);
  }

  /** Stops the sale of probes of a host for 15 minutes after it was too slow for one. */
  async noteTooSlow(host: string): Promise<void> {
    await this.slow.block(host, LONGEST_WAIT_SEC);
  }

  /** Milliseconds until a probe of a slow host may be sold again; 0 means now. */
  slowMs(host: string): Promise<number> {
    return waitOf(this.slow, host);
  }

  /** Gateways do not resolve strangers' names. Workers tell them the address blocks of a host. */
  private async rememberBlocks(host: string, blocks: readonly string[]): Promise<void> {
    const text = blocks.join(' ');
    if (this.knownBlocks.get(host) === text) return;
    await this.blocksOfHosts.set(host, text);
    this.knownBlocks.set(host, text);
  }

  private async blocksOf(host: string): Promise<readonly string[]> {
    const text = this.knownBlocks.get(host) ?? (await this.blocksOfHosts.get(host));
    if (text === undefined) return [];
    this.knownBlocks.set(host, text);
    return text.split(' ').filter((block) => block !== '');
  }
}
