const DAY_MS = 86_400_000;
/** States of a payment that may still be settled without being presented again. */
const UNDER_WAY: readonly string[] = ['verified', 'working', 'answer_stored', 'settling', 'settle_unknown'];

/** What a subscription lasts unless the operator sets another time. */
export const SUBSCRIPTION_DAYS = 30;

/** The right to one origin's full history and to its refreshes, for a time (behaviour 10.1). */
export interface Subscription {
  readonly id: string;
  readonly domain: string;
  /** Address that paid, lower case; null when the operator granted it. */
  readonly payer: string | null;
  readonly createdAt: Date;
  readonly endsAt: Date;
  readonly revokedAt: Date | null;
}

export type SubscriptionStatus = 'active' | 'expired' | 'revoked';

/** It ends at `endsAt` sharp; a revoked one stays revoked after that. */
export function subscriptionStatus({ revokedAt, endsAt }: Subscription, now: Date): SubscriptionStatus {
  if (revokedAt !== null) return 'revoked';
  return endsAt.getTime() <= now.getTime() ? 'expired' : 'active';
}

/** A subscription that a payer has of an origin. */
export interface HeldSubscription extends Pick<Subscription, 'endsAt' | 'revokedAt'> {
  /** States of the payments that bought it; null when the operator granted it. */
  readonly payments: readonly string[] | null;
}

/** Until when a purchase lasts: its days come on top of what is left. Undefined while another one of the payer is under way. */
export function renewedUntil(held: readonly HeldSubscription[], days: number, now: Date): Date | undefined {
  if (held.some(({ payments }) => payments?.some((state) => UNDER_WAY.includes(state)))) return undefined;
  const counted = held.filter(
    ({ revokedAt, payments }) => revokedAt === null && (payments?.includes('settled') ?? true),
  );
  const ends = counted.map(({ endsAt }) => endsAt.getTime());
  return new Date(Math.max(now.getTime(), ...ends) + days * DAY_MS);
}
