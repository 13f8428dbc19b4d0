const AMOUNT = String.raw`(?=[\d.]*[1-9])\d{1,6}(?:\.\d{1,6})?`;
const TIME = String.raw`\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z`;

/** A price in USDC, and the one before it, which is still taken until a time, since offers named it. */
export const PRICE = new RegExp(`^(${AMOUNT})(?: formerly (${AMOUNT}) until (${TIME}))?$`);

export interface PriceConfig {
  /** Null leaves it to the price list. */
  readonly priceUsd: string | null;
  readonly formerPrice: { readonly usd: string; readonly until: Date } | null;
}

/** Reads what {@link PRICE} allows; an end that is no time has passed already. */
export function priceOf(text: string | undefined): PriceConfig {
  const [, priceUsd = null, usd, until] = PRICE.exec(text ?? '') ?? [];
  return { priceUsd, formerPrice: usd && until ? { usd, until: new Date(until) } : null };
}
