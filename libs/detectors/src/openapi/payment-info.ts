import { isObject, list, member, scalar, text, type JsonObject, type JsonValue } from '../formats/json';

/** The data in the field `x-payment-info` of an operation. */
export interface PaymentInfo {
  readonly protocols: readonly ('x402' | 'mpp')[];
  /** As written, in any unit; null if missing. */
  readonly price: string | null;
  /** MPP offers, including an inline one. */
  readonly offers: readonly JsonObject[];
  /** The parser of the MPP client rejects it: an empty list, or a list next to an inline offer. */
  readonly mppRefused: boolean;
}

/** Fields of an inline MPP offer. */
const IN_PLACE = ['intent', 'method', 'amount', 'currency', 'description'] as const;

/**
 * Two dialects share this field and may be combined: MPP's (`offers`, or one inline offer,
 * https://paymentauth.org/draft-payment-discovery-00.html) and x402scan's (`price`, `protocols: ["x402"]` or `[{
 * "x402": {} }]`).
 */
export function readPaymentInfo(info: JsonObject): PaymentInfo {
  const stated = member(info, 'offers');
  const listed = list(stated)?.filter(isObject) ?? [];
  const inPlace = ['intent', 'method'].some((name) => text(member(info, name)) !== undefined);
  const mixed = IN_PLACE.some((name) => member(info, name) !== undefined);
  const mppRefused = stated !== undefined && (listed.length === 0 || listed.length !== list(stated)?.length || mixed);
  const offers = mppRefused ? [] : stated !== undefined ? listed : inPlace ? [info] : [];
  const named = (list(member(info, 'protocols')) ?? []).flatMap(namesOf);
  const isMpp = offers.length > 0 || named.includes('mpp');
  // A price without a protocol belongs to the dialect that has prices.
  const isX402 = named.includes('x402') || (named.length === 0 && !isMpp);
  return {
    protocols: [...(isX402 ? (['x402'] as const) : []), ...(isMpp ? (['mpp'] as const) : [])],
    price: priceOf(info),
    offers,
    mppRefused,
  };
}

function namesOf(item: JsonValue): readonly string[] {
  if (typeof item === 'string') return [item.toLowerCase()];
  return typeof item === 'object' && item !== null ? Object.keys(item) : [];
}

/** `{ price: { amount } }` or `{ min }`, `{ price }`, `{ minPrice }`, `{ offers: [{ amount }] }`, `{ amount }`. */
function priceOf(info: JsonObject): string | null {
  const price = member(info, 'price');
  const offer = list(member(info, 'offers'))?.[0];
  const stated = [
    ...(isObject(price) ? [member(price, 'amount'), member(price, 'min')] : [price]),
    member(info, 'minPrice'),
    member(offer, 'amount'),
    member(info, 'amount'),
  ];
  return stated.map(scalar).find((price) => price !== undefined) ?? null;
}
