import type { DeepReadonly } from '@app/platform';
import { time, url } from '@app/reports';
import { subscriptionStatus, type Subscription, type SubscriptionStatus } from '@app/owners';
import { z } from 'zod';
import type { ProductDeps } from './product-deps';

/** A subscription as its owner sees it. */
export const SubscriptionState = z.object({
  id: z.string(),
  domain: z.string(),
  status: z.enum(['active', 'expired', 'revoked']) satisfies z.ZodType<SubscriptionStatus>,
  createdAt: time,
  endsAt: time,
  revokedAt: time.nullable(),
  /** Null for a subscription that the operator granted. */
  subscriber: z.string().nullable().describe('The wallet address that can sign in.'),
  /** Refreshes per day within fair use. */
  refreshesPerDay: z.int(),
  /** `GET` returns this state, `DELETE` revokes the subscription. */
  manage: url,
});
export type SubscriptionState = DeepReadonly<z.infer<typeof SubscriptionState>>;

/** The answer to a purchase. */
export const NewSubscription = SubscriptionState.extend({
  key: z
    .string()
    .nullable()
    .describe(
      'Shown once, and again when you resend the payment with the Idempotency-Key of the purchase. Otherwise null.',
    ),
});

export function subscriptionState(
  subscription: Subscription,
  { refreshesPerDay, installation: { baseUrl } }: Pick<ProductDeps, 'refreshesPerDay' | 'installation'>,
  now: Date,
): SubscriptionState {
  const { id, domain, payer, createdAt, endsAt, revokedAt } = subscription;
  return {
    id,
    domain,
    status: subscriptionStatus(subscription, now),
    createdAt: createdAt.toISOString(),
    endsAt: endsAt.toISOString(),
    revokedAt: revokedAt?.toISOString() ?? null,
    subscriber: payer,
    refreshesPerDay,
    manage: `${baseUrl}/api/v1/hosts/${domain}/subscription`,
  };
}
