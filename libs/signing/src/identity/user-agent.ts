import { withoutTrailing } from '@app/platform';

/** The product token of the prober in the user agent and in robots.txt groups. */
export const PRODUCT_TOKEN = 'hostprobe';

/** Path of the page that explains the prober. */
export const PROBER_PATH = '/prober';

/** The user agent: product token, version and the page about the prober. We do not imitate a browser. */
export function userAgentOf(version: string, publicBaseUrl: string): string {
  return `${PRODUCT_TOKEN}/${version} (+${withoutTrailing(publicBaseUrl, '/')}${PROBER_PATH})`;
}
