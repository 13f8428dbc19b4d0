import { offer, type Offer, type RouteDescription, type Sku } from '@app/payments';
import { ENDPOINT_HEALTH, PAY_PREFLIGHT, PAYTO_CHECK } from '../checks/check-routes';
import { BATCH_REFRESH, HOST_REFRESH, PROTOCOL_REFRESH } from '../hosts/refresh-routes';
import { RECEIPT_VERIFY } from '../receipts/receipt-route';
import { atTerms } from '../subscriptions/subscription-offer';
import { SUBSCRIPTION } from '../subscriptions/subscription-route';
import type { Installation } from './installation';

/** A paid route, with a request that anybody can make to see its challenge. */
export interface SoldRoute {
  readonly method: 'GET' | 'POST';
  readonly route: RouteDescription;
  /** Path and query of the request; a POST sends the example body of its route. */
  readonly call: string;
}

const HOST = '/api/v1/hosts/example.com';
const PAYEE = '0x52908400098527886E0F7030069857D2E4169EE7';
const TX = '0x4f6a1f0e7b0c3d2a59687f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a';

/** Every product and where it is sold, in the order of spec 4. Documents that list what is sold are made from it. */
export const SOLD: Readonly<Record<Sku, SoldRoute>> = {
  host_refresh: { method: 'GET', route: HOST_REFRESH, call: `${HOST}/refresh` },
  protocol_refresh: { method: 'GET', route: PROTOCOL_REFRESH, call: `${HOST}/protocols/x402/refresh` },
  batch_refresh: { method: 'POST', route: BATCH_REFRESH, call: '/api/v1/hosts/refresh' },
  pay_preflight: { method: 'GET', route: PAY_PREFLIGHT, call: `${HOST}/pay-preflight?intent=api` },
  endpoint_health: {
    method: 'GET',
    route: ENDPOINT_HEALTH,
    call: '/api/v1/endpoints/health?url=https%3A%2F%2Fexample.com%2Fquote',
  },
  payto_check: { method: 'GET', route: PAYTO_CHECK, call: `${HOST}/payto-check?address=${PAYEE}` },
  receipt_verify: {
    method: 'GET',
    route: RECEIPT_VERIFY,
    call: `/api/v1/receipts/${TX}/verify?payTo=${PAYEE}&network=eip155:8453&amount=20000`,
  },
  subscription: { method: 'POST', route: SUBSCRIPTION, call: `${HOST}/subscription` },
};

export const SKUS = Object.keys(SOLD) as readonly Sku[];

/** Hosts in the example body of a batch. */
const EXAMPLE_HOSTS = 2;

/** What the route's own 402 offers for that request. */
export function exampleOffer(
  sku: Sku,
  { baseUrl, subscription }: Pick<Installation, 'baseUrl' | 'subscription'>,
): Offer {
  const { method, route, call } = SOLD[sku];
  const offered = offer(sku, { method, resource: `${baseUrl}${call}`, route }, EXAMPLE_HOSTS);
  return sku === 'subscription' ? atTerms(offered, subscription) : offered;
}
