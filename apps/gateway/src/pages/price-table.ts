import { templateOf } from '../routes/parameters';
import type { Installation } from '../products/installation';
import { priceText } from '../products/price';
import { PRODUCTS } from '../products/registry';

/** A product as the price lists show it. */
export interface PriceEntry {
  readonly what: string;
  readonly description: string;
  /** With the unit, for example `0.02 USDC`. */
  readonly price: string;
  readonly request: string;
}

/** The free products, one line each. */
export const FREE: readonly string[] = [
  'Latest report for any host: web page, JSON or Markdown',
  'One free probe per host per day',
  'The last five changes of a host, also as a feed',
  'Badges, read-only MCP tools, and the list of payable hosts',
];

/** The cases that are never charged (behaviour 9.4, behaviour 3.1). */
export const NEVER_CHARGED: readonly (readonly [when: string, response: string])[] = [
  ['Your request is invalid', '400, 404, 405, 413, 415'],
  ['You sent too many requests, or the host was probed too often', '429'],
  ['The host opted out', '403'],
  ['Our workers, queue, database or facilitator are unavailable', '503'],
  ['The probe fails on our side or times out', '502, 504'],
  ['Your payment is refused or does not settle', '402'],
  ['You send the same payment again and get the same response', '200, Idempotent-Replayed: true'],
  ['We cannot reach the blockchain to check a receipt', '200, verdict unavailable'],
];

/** Every product with the price of this installation. */
export function priceEntries(installation: Pick<Installation, 'subscription'>): readonly PriceEntry[] {
  return PRODUCTS.map((product) => ({
    what: product.title,
    request: `${product.method} ${templateOf(product.path)}`,
    description: product.description(installation),
    price: priceText(product.price(installation)),
  }));
}
