import { priceUsd, PRODUCTS, type RouteDescription, type Sku } from '@app/payments';
import { ENDPOINT_HEALTH, PAY_PREFLIGHT, PAYTO_CHECK } from '../../checks/check-routes';
import { BATCH_REFRESH, HOST_REFRESH, PROTOCOL_REFRESH, SUBSCRIPTION } from '../../hosts/refresh-routes';
import { RECEIPT_VERIFY } from '../../receipts/receipt-route';
import type { SubscriptionTerms } from '../../subscriptions/subscription-offer';

/** One product as people read it. */
export interface PaidThing {
  readonly sku: Sku;
  readonly what: string;
  readonly description: string;
  /** With the unit, for example `0.02 USD`. */
  readonly price: string;
  readonly request: string;
}

/** What costs nothing. */
export const FREE_THINGS: readonly string[] = [
  'the stored report of any host, as JSON, Markdown and page',
  'a first look at what an unknown host publishes, once a day per host',
  'the last five changes of a host, also as a feed',
  'badges, the MCP tools that read, and the list of payable hosts',
];

/** What is never charged (contract 5, spec 1.4). */
export const NEVER_CHARGED: readonly (readonly [what: string, answer: string])[] = [
  ['Your request was wrong', '400, 404, 405, 413, 415'],
  ['You, or others at this host, asked too often', '429'],
  ['The host has opted out', '403'],
  ['No worker, queue, database or facilitator of ours is there', '503'],
  ['The look failed on our side or took too long', '502, 504'],
  ['The payment is refused or does not settle', '402'],
  ['The same payment is sent again: the same answer comes again', '200, Idempotent-Replayed: true'],
  ['A receipt cannot be checked because the chain is out of reach', '200, verdict unavailable'],
];

const NAMES: Readonly<Record<Sku, readonly [what: string, method: 'GET' | 'POST', route: RouteDescription]>> = {
  host_refresh: ['Live look at a host', 'GET', HOST_REFRESH],
  protocol_refresh: ['Live look at one protocol', 'GET', PROTOCOL_REFRESH],
  batch_refresh: ['Live looks at up to ten hosts', 'POST', BATCH_REFRESH],
  pay_preflight: ['Can an agent pay here?', 'GET', PAY_PREFLIGHT],
  endpoint_health: ['Is a paid endpoint up?', 'GET', ENDPOINT_HEALTH],
  payto_check: ['Whose address is this?', 'GET', PAYTO_CHECK],
  receipt_verify: ['Did a transfer settle?', 'GET', RECEIPT_VERIFY],
  subscription: ['Subscription of one origin', 'POST', SUBSCRIPTION],
};

/** Everything that is sold, from the one list of prices, with this installation's terms of subscriptions. */
export function paidThings(subscription: SubscriptionTerms): readonly PaidThing[] {
  return (Object.keys(PRODUCTS) as Sku[]).map((sku) => {
    const [what, method, { path }] = NAMES[sku];
    const request = `${method} ${path.replace(/:(\w+)/g, '{$1}')}`;
    return { sku, what, request, description: PRODUCTS[sku].description, price: priceOf(sku, subscription) };
  });
}

function priceOf(sku: Sku, { priceAtomic, days }: SubscriptionTerms): string {
  if (sku === 'batch_refresh') {
    const [none, one] = [PRODUCTS.batch_refresh.atomic(0), PRODUCTS.batch_refresh.atomic(1)];
    return `${priceUsd(none)} USD + ${priceUsd(one - none)} per host`;
  }
  if (sku === 'subscription') return `${priceUsd(priceAtomic ?? PRODUCTS.subscription.atomic())} USD for ${days} days`;
  return `${priceUsd(PRODUCTS[sku].atomic())} USD`;
}
