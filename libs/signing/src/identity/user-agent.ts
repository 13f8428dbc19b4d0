import { withoutTrailing } from '@app/platform';

/** The name of the prober: product token of the user agent, and what a robots.txt group calls it. */
export const PRODUCT_TOKEN = 'hostprobe';

/** Path of the page that explains the prober. */
export const PROBER_PATH = '/prober';

/** How the prober introduces itself: product token, version and the page that explains it. No browser is imitated. */
export function userAgentOf(version: string, publicBaseUrl: string): string {
  return `${PRODUCT_TOKEN}/${version} (+${withoutTrailing(publicBaseUrl, '/')}${PROBER_PATH})`;
}
