import { atomicToUsd, usdToAtomic } from '@app/payments';

/** The price of one sale, in atomic USDC. */
export interface Price {
  readonly base: bigint;
  /** The additional price per item of a list that is sold at once. */
  readonly each?: { readonly of: string; readonly atomic: bigint; readonly most: number };
  /**
   * Former prices, the newest first. A buyer who saw one may still pay it until it ends: when a price changes, move the
   * old one here, with an end at least `OFFER_VALIDITY_SEC` in the future.
   */
  readonly former?: readonly (Omit<Price, 'former'> & { readonly until: Date })[];
}

/** A price in decimal USDC, for example `usd('0.02')`. */
export function usd(
  amount: string,
  each?: { readonly of: string; readonly usd: string; readonly most: number },
): Price {
  const base = atomic(amount);
  return each ? { base, each: { of: each.of, atomic: atomic(each.usd), most: each.most } } : { base };
}

/** The price of one sale of `count` items, in atomic USDC. */
export function atomicPrice({ base, each }: Price, count = 1): bigint {
  return base + (each ? each.atomic * BigInt(count) : 0n);
}

/** The text of a price, for people, agents and documents. */
export function priceText({ base, each }: Price): string {
  const least = atomicToUsd(base);
  return each ? `${least} + ${atomicToUsd(each.atomic)} USDC for each ${each.of}` : `${least} USDC`;
}

/** The minimum and maximum price of one sale, in decimal USDC. */
export function priceRange(price: Price): readonly [least: string, most: string] {
  return [atomicToUsd(atomicPrice(price, 1)), atomicToUsd(atomicPrice(price, price.each?.most))];
}

function atomic(amount: string): bigint {
  const value = usdToAtomic(amount);
  if (value === undefined) throw new Error(`${amount} is not a price`);
  return value;
}
