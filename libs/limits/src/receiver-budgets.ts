import { countedBlocks } from './address-block';
import type { LimitStore } from './limit-store';
import { prepaidRequests, RequestCounter } from './request-counter';
import type { Target } from './target-budgets';

/** How many messages all workers together send to receivers of one registrable domain per minute. */
export const MESSAGES_PER_SITE_MIN = 240;
/** The same for one address block, which contains several sites. */
export const MESSAGES_PER_BLOCK_MIN = 960;

/**
 * The budgets of alert receivers. They are separate from those of probes, so that alerts do not use up a host's probes.
 */
export class ReceiverBudgets {
  private readonly sites: RequestCounter;
  private readonly blocks: RequestCounter;

  constructor(store: LimitStore) {
    const prepaid = prepaidRequests();
    this.sites = new RequestCounter(store, prepaid, 'receiver_site', MESSAGES_PER_SITE_MIN);
    this.blocks = new RequestCounter(store, prepaid, 'receiver_block', MESSAGES_PER_BLOCK_MIN);
  }

  /** Counts a message before it is sent. @throws {TargetBusyError} the limit of this minute is reached */
  async spend({ site }: Target, addresses: readonly string[]): Promise<void> {
    const blocks = countedBlocks(addresses).map((block) => this.blocks.take(block));
    await Promise.all([this.sites.take(site), ...blocks]);
  }
}
