import type { RouteDescription } from '@app/payments';
import { DOMAIN } from '../http/route-parameters';

/** How a subscription is bought, for directories (extension `bazaar`). */
export const SUBSCRIPTION: RouteDescription = {
  path: '/api/v1/hosts/:domain/subscription',
  params: { domain: DOMAIN },
  body: { schema: { properties: {} }, example: {} },
  answer: { domain: 'shop.example.com', status: 'active', expiresAt: '2026-12-01T00:00:00Z', key: 'hps_...' },
};

/** Absolute URL at which the subscription of a host is bought, shown and ended. */
export function subscriptionUrl(baseUrl: string, domain: string): string {
  return `${baseUrl}${SUBSCRIPTION.path.replace(':domain', domain)}`;
}
