const DAY_MS = 86_400_000;
/** States in which a payment may still be settled without being presented again. */
const UNDER_WAY: readonly string[] = ['verified', 'working', 'answer_stored', 'settling', 'settle_unknown'];

/** The default duration of a subscription. */
export const SUBSCRIPTION_DAYS = 30;

/** Access to the full history of an origin and to its refreshes for a limited time (behaviour 10.1). */
export interface Subscription {
  readonly id: string;
  readonly domain: string;
  /** The address that paid, in lower case; null if the operator granted it. */
  readonly payer: string | null;
  readonly createdAt: Date;
  readonly endsAt: Date;
  readonly revokedAt: Date | null;
}

export type SubscriptionStatus = 'active' | 'expired' | 'revoked';

/** It ends exactly at `endsAt`; a revoked one stays revoked after that. */
export function subscriptionStatus({ revokedAt, endsAt }: Subscription, now: Date): SubscriptionStatus {
  if (revokedAt !== null) return 'revoked';
  return endsAt.getTime() <= now.getTime() ? 'expired' : 'active';
}

/** A payer's subscription to an origin. */
export interface HeldSubscription extends Pick<Subscription, 'endsAt' | 'revokedAt'> {
  /** The states of its payments; null if the operator granted it. */
  readonly payments: readonly string[] | null;
}

/**
 * The end of a new purchase: its days are added to the remaining time. Undefined while another purchase of the payer is
 * in progress.
 */
export function renewedUntil(held: readonly HeldSubscription[], days: number, now: Date): Date | undefined {
  if (held.some(({ payments }) => payments?.some((state) => UNDER_WAY.includes(state)))) return undefined;
  const counted = held.filter(
    ({ revokedAt, payments }) => revokedAt === null && (payments?.includes('settled') ?? true),
  );
  const ends = counted.map(({ endsAt }) => endsAt.getTime());
  return new Date(Math.max(now.getTime(), ...ends) + days * DAY_MS);
}
