import type { Config } from '@app/config';
import type { SellingTerms } from '@app/payments';
import { subscriptionTerms, type SubscriptionTerms } from '../subscriptions/subscription-offer';

/** What the published documents say of this installation. */
export interface Installation {
  readonly baseUrl: string;
  /** Null while payments are not configured. */
  readonly terms: SellingTerms | null;
  readonly subscription: SubscriptionTerms;
  /** `mailto:` or `https:` URL of the operator. */
  readonly contact: string | null;
}

/** Injection token of {@link Installation}. */
export const INSTALLATION = Symbol('Installation');

export function installationOf({ http, payments, identity, subscriptions }: Config): Installation {
  return {
    baseUrl: http.publicBaseUrl,
    terms: payments && { network: payments.network, payTo: payments.payTo },
    subscription: subscriptionTerms(subscriptions),
    contact: identity.contact,
  };
}
