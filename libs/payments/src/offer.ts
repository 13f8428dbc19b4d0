import { atomicToUsd } from './usdc';

/** How long terms that were offered stay acceptable at least, in seconds; a signed offer says so. */
export const OFFER_VALIDITY_SEC = 300;

export type JsonObject = Readonly<Record<string, unknown>>;

/** Request and response of a paid route, for directories of paid routes. One constant per route. */
export interface RouteDescription {
  /** Path with `:name` parameters, for example `/api/v1/hosts/:domain/refresh`. */
  readonly path: string;
  /** JSON Schema of each path parameter; all are required. */
  readonly params?: JsonObject;
  /** JSON Schema of each query parameter, and which of them must be there. */
  readonly query?: { readonly properties: JsonObject; readonly required?: readonly string[] };
  /** JSON body of a POST. */
  readonly body?: { readonly schema: JsonObject; readonly example: JsonObject };
  /** A short example of the answer: it travels in a header. */
  readonly answer: JsonObject;
}

/** Something for sale, at its price. */
interface Priced {
  /** Its stable name. */
  readonly sku: string;
  readonly priceAtomic: bigint;
  /** At most 200 characters. */
  readonly description: string;
  /** Earlier prices that are still taken. */
  readonly formerPrices: readonly { readonly atomic: bigint; readonly until: Date }[];
  /** Offer and receipt are signed (extension `offer-receipt`). */
  readonly signed: boolean;
}

/** What is offered for one request: the product, its price and the request it is good for. */
export interface Offer extends Priced {
  /** Absolute URL of the request, in canonical form: the payment is bound to it. */
  readonly resource: string;
  readonly method: 'GET' | 'POST';
  /** Hex SHA-256 of the canonical body of a POST; empty without one that matters. */
  readonly bodyHash: string;
  /** How the request is made, for directories of paid routes. */
  readonly route: RouteDescription;
}

/** The price as the number behaviour 3.6, 9.1 show; exact for every price there is. */
export function priceUsd(atomic: bigint): number {
  return Number(atomicToUsd(atomic));
}
