import { atomicToUsd } from './usdc';

/** Everything that costs money, and what it costs (spec 4, in atomic USDC). The only place prices exist. */
export const PRODUCTS = {
  host_refresh: { atomic: () => 20_000n, description: 'Live look at a host: all protocols, rails and callability' },
  protocol_refresh: { atomic: () => 5_000n, description: 'Live look at one protocol of a host' },
  batch_refresh: {
    atomic: (hosts: number) => 10_000n + 2_000n * BigInt(hosts),
    description: 'Live looks at up to ten hosts, one payment for all of them',
  },
  pay_preflight: { atomic: () => 1_000n, description: 'Whether an agent can pay at a host, how, where and how much' },
  endpoint_health: {
    atomic: () => 1_000n,
    description: 'Whether a paid endpoint is up, how fast, and what it charges',
  },
  payto_check: { atomic: () => 2_000n, description: 'Evidence that a payTo address belongs to a domain' },
  receipt_verify: { atomic: () => 1_000n, description: 'Whether a USDC transfer settled, and how final it is' },
  subscription: {
    atomic: () => 5_000_000n,
    description: 'Full change history and refreshes of one origin for 30 days',
  },
} as const satisfies Record<string, Product>;

/** What a subscription lasts. */
export const SUBSCRIPTION_DAYS = 30;

interface Product {
  /** Price of one sale, from what it depends on; `hosts` of a batch are counted after duplicates collapsed. */
  readonly atomic: (hosts: number) => bigint;
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

/** Offers a product for a request. `amounts` is what its price depends on: the number of hosts of a batch. */
export function offer<Name extends Sku>(
  sku: Name,
  request: Pick<Offer, 'resource' | 'method'> & { readonly bodyHash?: string },
  ...amounts: Parameters<(typeof PRODUCTS)[Name]['atomic']>
): Offer {
  const product: Product = PRODUCTS[sku];
  const [hosts = 1] = amounts;
  return {
    sku,
    priceAtomic: product.atomic(hosts),
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
