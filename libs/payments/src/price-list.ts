import { atomicToUsd } from './usdc';

/** Everything that costs money, and what it costs (spec 4, in atomic USDC). The only place prices exist. */
export const PRODUCTS = {
  host_refresh: { atomic: () => 20_000n, description: 'Live look at a host: all protocols, rails and callability' },
  protocol_refresh: { atomic: () => 5_000n, description: 'Live look at one protocol of a host' },
  subscription: {
    atomic: () => 5_000_000n,
    description: 'Full change history and refreshes of one origin for 30 days',
  },
} as const satisfies Record<string, Product>;

/** What a subscription lasts. */
export const SUBSCRIPTION_DAYS = 30;

interface Product {
  readonly atomic: () => bigint;
  /** At most 200 characters: some facilitators refuse longer ones with a misleading message. */
  readonly description: string;
}

export type Sku = keyof typeof PRODUCTS;

/** What is offered for one request: the product, its price and the request it is good for. */
export interface Offer {
  readonly sku: Sku;
  readonly priceAtomic: bigint;
  readonly description: string;
  /** Absolute URL of the request, in canonical form: the payment is bound to it. */
  readonly resource: string;
  readonly method: 'GET' | 'POST';
  /** Hex SHA-256 of the canonical body of a POST; empty for a GET. */
  readonly bodyHash: string;
}

export function offer(sku: Sku, request: Pick<Offer, 'resource' | 'method'> & { readonly bodyHash?: string }): Offer {
  const product = PRODUCTS[sku];
  return {
    sku,
    priceAtomic: product.atomic(),
    description: product.description,
    resource: request.resource,
    method: request.method,
    bodyHash: request.bodyHash ?? '',
  };
}

/** The price as the number spec 2.3 and 2.9 show; exact for every price of the list. */
export function priceUsd(atomic: bigint): number {
  return Number(atomicToUsd(atomic));
}
