import type { Config } from '@app/config';
import type { SellingTerms } from '@app/payments';
import { SUBSCRIPTION_DAYS } from '@app/owners';
import { usd, type Price } from './price';

/** The settings of this installation that products and published documents depend on. */
export interface Installation {
  readonly baseUrl: string;
  /** Null while payments are not configured. */
  readonly terms: SellingTerms | null;
  readonly subscription: { readonly price: Price; readonly days: number };
  /** `mailto:` or `https:` URL of the operator. */
  readonly contact: string | null;
}

/** The default price of a subscription. */
const SUBSCRIPTION_USD = '5';

export function installationOf({ http, payments, identity, subscriptions }: Config): Installation {
  const { priceUsd, formerPrice, days } = subscriptions;
  const former = formerPrice ? [{ ...usd(formerPrice.usd), until: formerPrice.until }] : [];
  return {
    baseUrl: http.publicBaseUrl,
    terms: payments && { network: payments.network, payTo: payments.payTo },
    subscription: { price: { ...usd(priceUsd ?? SUBSCRIPTION_USD), former }, days: days ?? SUBSCRIPTION_DAYS },
    contact: identity.contact,
  };
}
