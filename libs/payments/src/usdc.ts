import { withoutTrailing } from '@app/platform';

const DECIMALS = 6;

/** Formats atomic USDC (millionths) as an exact decimal string: `20000n` is `"0.02"`. */
export function atomicToUsd(atomic: bigint): string {
  const digits = atomic.toString().padStart(DECIMALS + 1, '0');
  const fraction = withoutTrailing(digits.slice(-DECIMALS), '0');
  return `${digits.slice(0, -DECIMALS)}${fraction ? `.${fraction}` : ''}`;
}

/** Parses a decimal USD string to atomic USDC without rounding; undefined unless it is `digits[.1-6 digits]`. */
export function usdToAtomic(usd: string): bigint | undefined {
  const match = /^(\d{1,12})(?:\.(\d{1,6}))?$/.exec(usd);
  if (!match) return undefined;
  return BigInt(`${match[1] ?? '0'}${(match[2] ?? '').padEnd(DECIMALS, '0')}`);
}
