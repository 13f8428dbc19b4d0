import type { Offer } from '@app/payments';

/** An offer for a request, by default with the terms of a signed refresh. */
export function offerOf(request: Pick<Offer, 'method' | 'resource' | 'route'>, others: Partial<Offer> = {}): Offer {
  return {
    sku: 'host_refresh',
    priceAtomic: 20_000n,
    description: 'Live probe of a host',
    formerPrices: [],
    signed: true,
    bodyHash: '',
    ...request,
    ...others,
  };
}
