import { caip2OfV1Name, NETWORKS } from '@app/networks';
import type { OptOuts } from '@app/limits';
import type { PayableOrder, RailFilter, RailRepository } from '@app/storage';
import { payableHostsPage, type PayableHosts } from '@app/reports';
import { LRUCache } from 'lru-cache';
import { RequestError } from '../http/request-error';

/** How long a page is cached, in milliseconds, and how many are cached; each has about 20 kilobytes. */
const KEPT_MS = 5_000;
const MAX_PAGES = 200;

/** The list of payable hosts (behaviour 7.12): free, and not a recommendation. */
export class PayableHostsList {
  private readonly pages = new LRUCache<string, Promise<PayableHosts>>({ max: MAX_PAGES, ttl: KEPT_MS });

  constructor(
    private readonly rails: RailRepository,
    private readonly optOuts: OptOuts,
  ) {}

  /** @param after for a list by name, the last host of the previous page; empty for the first page */
  async find(filter: RailFilter, after: string, limit: number, order: PayableOrder = 'name'): Promise<PayableHosts> {
    const page = await this.page(filter, after, limit, order);
    // A host that opted out after its probe is not listed; its own report shows the opt-out.
    const hosts = page.hosts.filter(({ domain }) => !this.optOuts.covers(domain));
    return hosts.length === page.hosts.length ? page : { ...page, hosts };
  }

  /** Concurrent requests for a page share one read, because it may scan many payment options to find a few. */
  private page(filter: RailFilter, after: string, limit: number, order: PayableOrder): Promise<PayableHosts> {
    const { query, protocol, network, maxPriceUsd } = filter;
    const key = JSON.stringify([query, protocol, network, maxPriceUsd, after, limit, order]);
    const known = this.pages.get(key);
    if (known) return known;
    const read = this.rails
      .payableHosts(filter, after, limit + 1, order)
      .then((found) => payableHostsPage(found, limit));
    this.pages.set(key, read);
    read.catch(() => this.pages.delete(key)); // the readers handle the error
    return read;
  }
}

/**
 * The CAIP-2 id of a network, given its id, its name or its x402 version 1 name.
 * @throws {RequestError} 400 `invalid_network`
 */
export function networkIdOf(stated: string): string {
  const name = stated.trim().toLowerCase();
  const known = NETWORKS.find((network) => network.caip2.toLowerCase() === name || network.name.toLowerCase() === name);
  const id = known?.caip2 ?? caip2OfV1Name(name);
  if (id === undefined) {
    const allowed = NETWORKS.map(({ caip2 }) => caip2);
    throw new RequestError('invalid_network', 'network must be a known network, for example eip155:8453 or base', {
      allowed,
    });
  }
  return id;
}
