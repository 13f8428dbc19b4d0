import type { SubscriptionRepository } from '@app/persistence';
import type { HostName } from '@app/reports';
import type { Credential } from './credential';
import type { Subscribers } from './subscribers';
import { subscriptionState, type SubscriptionState } from './subscription-state';

export interface SubscriptionsParts {
  readonly subscribers: Pick<Subscribers, 'find'>;
  readonly subscriptions: Pick<SubscriptionRepository, 'revoke'>;
  readonly refreshesPerDay: number;
  readonly baseUrl: string;
}

/** What a subscriber may do with a subscription, also with one that is over. */
export class SubscriptionsService {
  constructor(private readonly parts: SubscriptionsParts) {}

  /** @throws as {@link Subscribers.find} */
  async state(host: HostName, credential: Credential | undefined): Promise<SubscriptionState> {
    return subscriptionState(await this.parts.subscribers.find(host, credential), this.parts, new Date());
  }

  /** Ends it for good and for every key and wallet it has; doing so twice changes nothing. @throws as {@link state} */
  async revoke(host: HostName, credential: Credential | undefined): Promise<SubscriptionState> {
    const found = await this.parts.subscribers.find(host, credential);
    const revoked = await this.parts.subscriptions.revoke(found.id);
    return subscriptionState(revoked ?? found, this.parts, new Date());
  }
}
