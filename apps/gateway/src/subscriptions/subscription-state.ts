import { subscriptionStatus, type Subscription } from '@app/subscriptions';
import { subscriptionUrl } from './subscription-route';

/** A subscription as its owner sees it; times are ISO 8601. */
export interface SubscriptionState {
  readonly id: string;
  readonly domain: string;
  readonly status: string;
  readonly since: string;
  readonly expiresAt: string;
  readonly revokedAt: string | null;
  /** Address that may sign in for it; null for one the operator granted. */
  readonly subscriber: string | null;
  /** Fair use. */
  readonly refreshesPerDay: number;
  /** `GET` shows this state, `DELETE` revokes. */
  readonly manage: string;
}

export function subscriptionState(
  subscription: Subscription,
  { refreshesPerDay, baseUrl }: { readonly refreshesPerDay: number; readonly baseUrl: string },
  now: Date,
): SubscriptionState {
  const { id, domain, payer, since, expiresAt, revokedAt } = subscription;
  return {
    id,
    domain,
    status: subscriptionStatus(subscription, now),
    since: since.toISOString(),
    expiresAt: expiresAt.toISOString(),
    revokedAt: revokedAt?.toISOString() ?? null,
    subscriber: payer,
    refreshesPerDay,
    manage: subscriptionUrl(baseUrl, domain),
  };
}
