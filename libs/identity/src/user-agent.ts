/** What we call ourselves: the product token of the user agent, and the name a robots.txt group may use for us. */
export const PRODUCT_TOKEN = 'hostprobe';

/** Path of the page that explains the prober. */
export const PROBER_PATH = '/prober';

/** How the prober introduces itself: product token, version and the page that explains it. No browser is imitated. */
export function userAgentOf(version: string, publicBaseUrl: string): string {
  return `${PRODUCT_TOKEN}/${version} (+${publicBaseUrl.replace(/\/+$/, '')}${PROBER_PATH})`;
}
