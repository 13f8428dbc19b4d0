import { withoutTrailing } from '@app/platform';

/** Atomic token amounts and dollars, in integers only. */

/** The largest plausible price per call in dollars; larger ones come from wrong decimals. */
const PRICE_CEILING_USD = 10_000n;

const MAX_UINT256 = (1n << 256n) - 1n;

/** A canonical atomic amount: digits without sign, leading zeros, point or exponent, at most 2^256-1. */
export function atomicAmount(text: string): bigint | undefined {
  if (!/^(?:0|[1-9]\d{0,77})$/.test(text)) return undefined;
  const amount = BigInt(text);
  return amount <= MAX_UINT256 ? amount : undefined;
}

/** Dollars as a decimal string without trailing zeros: `usdOf(15n, 6)` is `"0.000015"`. */
export function usdOf(amount: bigint, decimals: number): string {
  const digits = amount.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = withoutTrailing(digits.slice(digits.length - decimals), '0');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/** Whether an amount is implausible, as when a token with 18 decimals is priced as if it had 6. */
export function isImplausible(amount: bigint, decimals: number): boolean {
  return amount > PRICE_CEILING_USD * 10n ** BigInt(decimals);
}
