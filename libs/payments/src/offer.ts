import { atomicToUsd } from './usdc';

/** How long offered terms are accepted at least, in seconds. Signed offers state it. */
export const OFFER_VALIDITY_SEC = 300;

export type JsonObject = Readonly<Record<string, unknown>>;

/** Request and response of a paid route, for directories of paid routes. Use one constant per route. */
export interface RouteDescription {
  /** Path with `:name` parameters, for example `/api/v1/hosts/:domain/refresh`. */
  readonly path: string;
  /** JSON Schema of each path parameter; all are required. */
  readonly params?: JsonObject;
  /** JSON Schema of each query parameter, and the required ones. */
  readonly query?: { readonly properties: JsonObject; readonly required?: readonly string[] };
  /** JSON body of a POST. */
  readonly body?: { readonly schema: JsonObject; readonly example: JsonObject };
  /** A short example of the answer; it must be short because it is sent in a header. */
  readonly answer: JsonObject;
}

/** A product with its price. */
interface Priced {
  /** Its stable id. */
  readonly sku: string;
  readonly priceAtomic: bigint;
  /** At most 200 characters. */
  readonly description: string;
  /** Former prices that are still accepted. */
  readonly formerPrices: readonly { readonly atomic: bigint; readonly until: Date }[];
  /** Whether offer and receipt are signed (extension `offer-receipt`). */
  readonly signed: boolean;
}

/** The offer for one request: the product, its price and the request that the payment is bound to. */
export interface Offer extends Priced {
  /** Absolute URL of the request, in canonical form: the payment is bound to it. */
  readonly resource: string;
  readonly method: 'GET' | 'POST';
  /** Hex SHA-256 of the canonical body of a POST; empty if no body matters. */
  readonly bodyHash: string;
  /** The description of the request for directories of paid routes. */
  readonly route: RouteDescription;
}

/** The price as a number, for behaviour 3.6 and 9.1; exact for all our prices. */
export function priceUsd(atomic: bigint): number {
  return Number(atomicToUsd(atomic));
}
