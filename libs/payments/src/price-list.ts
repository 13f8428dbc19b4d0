import type { RouteDescription } from './discovery';
import { atomicToUsd } from './usdc';

/** Everything that costs money, and what it costs (spec 4, in atomic USDC). The only place prices exist. */
export const PRODUCTS = {
  host_refresh: {
    atomic: () => 20_000n,
    description: 'Live look at a host: all protocols, rails and callability',
    signed: true,
  },
  protocol_refresh: { atomic: () => 5_000n, description: 'Live look at one protocol of a host', signed: true },
  batch_refresh: {
    atomic: (hosts: number) => 10_000n + 2_000n * BigInt(hosts),
    description: 'Live looks at up to ten hosts, one payment for all of them',
    signed: true,
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
    description: 'Full change history and refreshes of one origin',
  },
} as const satisfies Record<string, Product>;

/** How long terms that were offered stay acceptable at least, in seconds; a signed offer says so. */
export const OFFER_VALIDITY_SEC = 300;

interface Product {
  /** Price of one sale, from what it depends on; `hosts` of a batch are counted after duplicates collapsed. */
  readonly atomic: (hosts: number) => bigint;
  /**
   * Prices it had before. Whoever was asked for one may still pay it until then (ISO 8601): when a price changes, the
   * old one moves here with an end at least as far ahead as {@link OFFER_VALIDITY_SEC}. The newest comes first.
   */
  readonly formerly?: readonly { readonly atomic: (hosts: number) => bigint; readonly until: string }[];
  /** At most 200 characters: some facilitators refuse longer ones with a misleading message. */
  readonly description: string;
  /** Offers and receipts carry our signature: worth its header bytes where the answer is kept, not for a quick check. */
  readonly signed?: boolean;
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
  /** How the request is made, for directories of paid routes. */
  readonly route: RouteDescription;
  /** Earlier prices that are still taken. */
  readonly formerPrices: readonly { readonly atomic: bigint; readonly until: Date }[];
  /** Offer and receipt are signed (extension `offer-receipt`). */
  readonly signed: boolean;
}

/** The request an offer is made for. */
export type OfferedRequest = Pick<Offer, 'resource' | 'method' | 'route'> & { readonly bodyHash?: string };

/** Offers a product for a request. `amounts` is what its price depends on: the number of hosts of a batch. */
export function offer<Name extends Sku>(
  sku: Name,
  request: OfferedRequest,
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
    route: request.route,
    formerPrices: (product.formerly ?? []).map(({ atomic, until }) => ({
      atomic: atomic(hosts),
      until: new Date(until),
    })),
    signed: isSigned(sku),
  };
}

/** The offer at each of its earlier prices that is still taken at `now`. */
export function formerOffers(offered: Offer, now: Date): readonly Offer[] {
  return offered.formerPrices
    .filter(({ until }) => until > now)
    .map(({ atomic }) => ({ ...offered, priceAtomic: atomic }));
}

/** Whether offers and receipts of a product are signed; unknown names are those of products no longer sold. */
export function isSigned(sku: string): boolean {
  const product: Product | undefined = (PRODUCTS as Readonly<Record<string, Product>>)[sku];
  return product?.signed ?? false;
}

/** The price as the number spec 2.3 and 2.9 show; exact for every price of the list. */
export function priceUsd(atomic: bigint): number {
  return Number(atomicToUsd(atomic));
}
