import type { SubscriptionTerms } from '../subscriptions/subscription-offer';

/** What pages say about this installation. */
export class SiteFacts {
  constructor(
    readonly baseUrl: string,
    readonly subscription: SubscriptionTerms,
  ) {}
}
