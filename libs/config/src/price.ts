const AMOUNT = String.raw`(?=[\d.]*[1-9])\d{1,6}(?:\.\d{1,6})?`;
const TIME = String.raw`\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z`;

/**
 * A price in USDC, optionally with the former price and the time until which that is still accepted for earlier offers.
 */
export const PRICE = new RegExp(`^(${AMOUNT})(?: formerly (${AMOUNT}) until (${TIME}))?$`);

export interface PriceConfig {
  /** Null uses the price list. */
  readonly priceUsd: string | null;
  readonly formerPrice: { readonly usd: string; readonly until: Date } | null;
}

/** Parses the format {@link PRICE}; an invalid time counts as past. */
export function priceOf(text: string | undefined): PriceConfig {
  const [, priceUsd = null, usd, until] = PRICE.exec(text ?? '') ?? [];
  return { priceUsd, formerPrice: usd && until ? { usd, until: new Date(until) } : null };
}
