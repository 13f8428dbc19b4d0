import { priceUsd, PRODUCTS, type Sku } from '@app/payments';
import { SKUS, SOLD } from '../../discovery/sold-routes';
import { templateOf } from '../../openapi/parameters';
import type { SubscriptionTerms } from '../../subscriptions/subscription-offer';

/** One product as people read it. */
export interface PaidThing {
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

const NAMES: Readonly<Record<Sku, string>> = {
  host_refresh: 'Live look at a host',
  protocol_refresh: 'Live look at one protocol',
  batch_refresh: 'Live looks at up to ten hosts',
  pay_preflight: 'Can an agent pay here?',
  endpoint_health: 'Is a paid endpoint up?',
  payto_check: 'Whose address is this?',
  receipt_verify: 'Did a transfer settle?',
  subscription: 'Subscription of one origin',
};

/** Everything that is sold, from the one list of prices, with this installation's terms of subscriptions. */
export function paidThings(subscription: SubscriptionTerms): readonly PaidThing[] {
  return SKUS.map((sku) => {
    const { method, route } = SOLD[sku];
    const request = `${method} ${templateOf(route.path)}`;
    return {
      what: NAMES[sku],
      request,
      description: PRODUCTS[sku].description,
      price: priceOf(sku, subscription),
    };
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
