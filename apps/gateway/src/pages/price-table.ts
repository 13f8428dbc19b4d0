import { templateOf } from '../routes/parameters';
import type { Installation } from '../products/installation';
import { priceText } from '../products/price';
import { PRODUCTS } from '../products/registry';

/** One product as people read it. */
export interface PaidThing {
  readonly what: string;
  readonly description: string;
  /** With the unit, for example `0.02 USDC`. */
  readonly price: string;
  readonly request: string;
}

/** What costs nothing. */
export const FREE_THINGS: readonly string[] = [
  'the stored report of any host, as JSON, Markdown and page',
  'a first probe of what an unknown host publishes, once a day per host',
  'the last five changes of a host, also as a feed',
  'badges, the MCP tools that only read, and the list of payable hosts',
];

/** What is never charged (behaviour 9.4, behaviour 3.1). */
export const NEVER_CHARGED: readonly (readonly [what: string, answer: string])[] = [
  ['Your request was wrong', '400, 404, 405, 413, 415'],
  ['You sent too many requests, or the host was probed too often', '429'],
  ['The host has opted out', '403'],
  ['A worker, queue, database or facilitator is not available', '503'],
  ['The probe failed because of the service or took too long', '502, 504'],
  ['The payment is refused or does not settle', '402'],
  ['You send the same payment again and get the same answer again', '200, Idempotent-Replayed: true'],
  ['A receipt cannot be checked because the chain is out of reach', '200, verdict unavailable'],
];

/** Everything that is sold, at this installation's prices. */
export function paidThings(installation: Pick<Installation, 'subscription'>): readonly PaidThing[] {
  return PRODUCTS.map((product) => ({
    what: product.title,
    request: `${product.method} ${templateOf(product.path)}`,
    description: product.description(installation),
    price: priceText(product.price(installation)),
  }));
}
