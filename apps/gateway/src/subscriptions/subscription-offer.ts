import { offer, priceUsd, usdToAtomic, type Offer } from '@app/payments';
import type { HostName, SubscribeOffer } from '@app/reports';
import { SUBSCRIPTION_DAYS } from '@app/subscriptions';
import { SUBSCRIPTION, subscriptionUrl } from './subscription-route';

/** What a subscription is sold for. */
export interface SubscriptionTerms {
  /** Atomic USDC; null is the price list's. */
  readonly priceAtomic: bigint | null;
  /** Prices of the operator that are still taken. */
  readonly formerPrices: Offer['formerPrices'];
  readonly days: number;
}

/** The price list's terms, where the operator set no others. */
export function subscriptionTerms(set: {
  readonly priceUsd: string | null;
  readonly formerPrice: { readonly usd: string; readonly until: Date } | null;
  readonly days: number | null;
}): SubscriptionTerms {
  const former = set.formerPrice === null ? undefined : usdToAtomic(set.formerPrice.usd);
  return {
    priceAtomic: (set.priceUsd === null ? undefined : usdToAtomic(set.priceUsd)) ?? null,
    formerPrices: set.formerPrice && former !== undefined ? [{ atomic: former, until: set.formerPrice.until }] : [],
    days: set.days ?? SUBSCRIPTION_DAYS,
  };
}

/** What a subscription of an origin sells: its full history and its refreshes (contract 5). */
export function subscription(terms: SubscriptionTerms, baseUrl: string, host: HostName): Offer {
  const resource = subscriptionUrl(baseUrl, host.ascii);
  return atTerms(offer('subscription', { method: 'POST', resource, route: SUBSCRIPTION }), terms);
}

/** A subscription from the price list, as this installation sells it. */
export function atTerms(listed: Offer, { priceAtomic, formerPrices, days }: SubscriptionTerms): Offer {
  return {
    ...listed,
    priceAtomic: priceAtomic ?? listed.priceAtomic,
    formerPrices: [...formerPrices, ...listed.formerPrices],
    description: `${listed.description} for ${days} days`,
  };
}

/** How to become a subscriber, as the change history says. */
export function subscribeOffer(
  terms: SubscriptionTerms,
  baseUrl: string,
  host: HostName,
  network: string,
): SubscribeOffer {
  const { priceAtomic, resource } = subscription(terms, baseUrl, host);
  return {
    priceUsd: priceUsd(priceAtomic),
    days: terms.days,
    network,
    rest: { method: 'POST', url: resource },
    docs: `${baseUrl}/openapi.json`,
  };
}
