/** What a subscription lasts unless the operator sets another time. */
export const SUBSCRIPTION_DAYS = 30;

/** The right to one origin's full history and to its refreshes, for a time (behaviour 10.1). */
export interface Subscription {
  readonly id: string;
  readonly domain: string;
  /** Address that paid, lower case; null when the operator granted it. */
  readonly payer: string | null;
  readonly since: Date;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
}

export type SubscriptionStatus = 'active' | 'expired' | 'revoked';

/** It ends at `expiresAt` sharp; a revoked one stays revoked after that. */
export function subscriptionStatus({ revokedAt, expiresAt }: Subscription, now: Date): SubscriptionStatus {
  if (revokedAt !== null) return 'revoked';
  return expiresAt.getTime() <= now.getTime() ? 'expired' : 'active';
}
