import type { Config } from '@app/config';
import type { OptOuts } from '@app/limits';
import { ServerSecretRepository, SignInNonceRepository, SubscriptionRepository, type Database } from '@app/persistence';
import type { RateLimits } from '../limits/rate-limits';
import { SubscriberLooks } from './subscriber-looks';
import { Subscribers } from './subscribers';
import { subscriptionTerms } from './subscription-offer';
import { SubscriptionSale } from './subscription-sale';
import { SubscriptionsService } from './subscriptions.service';

/** What subscriptions consist of. */
export interface SubscriptionParts {
  readonly subscribers: Subscribers;
  readonly looks: SubscriberLooks;
  readonly sale: SubscriptionSale;
  readonly service: SubscriptionsService;
}

interface Surroundings {
  readonly database: Database;
  readonly optOuts: OptOuts;
  readonly limits: RateLimits;
  readonly baseUrl: string;
  readonly network: string;
}

export function createSubscriptionParts(
  config: Config['subscriptions'],
  { database, optOuts, limits, baseUrl, network }: Surroundings,
): SubscriptionParts {
  const { refreshesPerDay, keySecret } = config;
  const subscriptions = new SubscriptionRepository(database);
  const secrets = new ServerSecretRepository(database);
  const nonces = new SignInNonceRepository(database);
  const subscribers = new Subscribers({ subscriptions, nonces, baseUrl, network });
  return {
    subscribers,
    looks: new SubscriberLooks(subscribers, limits),
    sale: new SubscriptionSale({
      subscriptions,
      optOuts,
      terms: subscriptionTerms(config),
      refreshesPerDay,
      secret: async () => keySecret ?? secrets.obtain('subscription_key'),
      baseUrl,
    }),
    service: new SubscriptionsService({ subscribers, subscriptions, refreshesPerDay, baseUrl }),
  };
}
