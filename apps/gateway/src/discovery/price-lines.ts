import { atomicToUsd, PRODUCTS } from '@app/payments';
import { MAX_BATCH } from '../hosts/dto/refresh-batch.dto';
import { templateOf } from '../openapi/parameters';
import type { Installation } from './installation';
import { exampleOffer, SKUS, SOLD } from './sold-routes';

/** A product as people read it. */
export interface PriceLine {
  readonly request: string;
  /** Decimal USDC, a range when it depends on the request. */
  readonly price: string;
  readonly what: string;
}

/** Everything sold here, in one line each. */
export function priceLines(installation: Pick<Installation, 'baseUrl' | 'subscription'>): readonly PriceLine[] {
  return SKUS.map((sku) => {
    const { priceAtomic, description } = exampleOffer(sku, installation);
    const [least = '', most = ''] = [1, MAX_BATCH].map((hosts) => atomicToUsd(PRODUCTS[sku].atomic(hosts)));
    const { method, route } = SOLD[sku];
    return {
      request: `${method} ${templateOf(route.path)}`,
      price: least === most ? atomicToUsd(priceAtomic) : `${least} to ${most}`,
      what: description,
    };
  });
}

/** The free routes. */
export const FREE_LINES: readonly Omit<PriceLine, 'price'>[] = [
  { request: 'GET /api/v1/hosts/{domain}', what: 'What is known about a host; never asks for a payment' },
  { request: 'GET /api/v1/hosts/{domain}/changes', what: 'Its last 5 changes' },
];
