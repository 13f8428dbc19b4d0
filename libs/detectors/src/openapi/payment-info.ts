import { isObject, list, member, scalar, text, type JsonObject, type JsonValue } from '../formats/json';

/** What the member `x-payment-info` of an operation says. */
export interface PaymentInfo {
  readonly protocols: readonly ('x402' | 'mpp')[];
  /** As stated, in whatever unit; null when it states none. */
  readonly price: string | null;
  /** Offers of MPP, those in place of a list included. */
  readonly offers: readonly JsonObject[];
  /** The parser of the MPP client refuses what it says of MPP: an empty list, or a list beside an offer in place. */
  readonly mppRefused: boolean;
}

/** Members of an offer of MPP that stands in place of a list. */
const IN_PLACE = ['intent', 'method', 'amount', 'currency', 'description'] as const;

/**
 * Two dialects share the key and may stand side by side: MPP's (`offers`, or one offer in place,
 * https://paymentauth.org/draft-payment-discovery-00.html) and x402scan's (`price`, `protocols: ["x402"]` or `[{ "x402": {} }]`).
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
  // A price without a word about who may pay it is of the dialect that has prices.
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
