import type { RateLimiterStoreAbstract } from 'rate-limiter-flexible';
import type { LimitStore } from './limit-store';
import { consume } from './request-counter';
import { addressBlock } from './target-budgets';

const DAY_SEC = 86_400;
/** An address block holds many sites, so it may get the free probes of this many. */
const SITES_PER_BLOCK = 8;

/**
 * What all free probes together, asked for or by the clock, may do to one registrable domain and one address block in a
 * day: a thousand names of one site, or names of many that lead to one network, get no more of them.
 */
export class FreeProbeBudgets {
  private readonly sites: RateLimiterStoreAbstract;
  private readonly blocks: RateLimiterStoreAbstract;

  constructor(store: LimitStore, perSiteDay: number) {
    this.sites = store.limiter('free_site', perSiteDay, DAY_SEC);
    this.blocks = store.limiter('free_block', perSiteDay * SITES_PER_BLOCK, DAY_SEC);
  }

  /** Counts a free probe that begins. @throws {TargetBusyError} the site had its probes of the day */
  async begin(site: string): Promise<void> {
    await consume(this.sites, site, 1);
  }

  /**
   * For one probe: called before each of its requests, counts it once in each block that its addresses lie in.
   * @throws {TargetBusyError} the block had its probes of the day
   */
  forProbe(): (addresses: readonly string[]) => Promise<void> {
    const counted = new Map<string, Promise<unknown>>();
    const count = (block: string): Promise<unknown> => {
      const counting = counted.get(block) ?? consume(this.blocks, block, 1);
      counted.set(block, counting);
      return counting;
    };
    return async (addresses) => {
      await Promise.all([...new Set(addresses.map(addressBlock))].map(count));
    };
  }
}
