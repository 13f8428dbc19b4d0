import { createHash } from 'node:crypto';
import { contentTag } from '../../http/entity-tag';
import type { Published } from '../../http/published';
import { STYLE } from './assets';

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/**
 * A page loads only the script and the images of this service, runs no inline script, applies only the style that all
 * pages share, and cannot be framed.
 */
const PAGE_CSP = [
  "default-src 'none'",
  `style-src 'sha256-${STYLE_HASH}'`,
  "script-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': PAGE_CSP,
  'x-content-type-options': 'nosniff',
  // Other sites do not learn the address of the page; our own forms need the header for the same-origin check.
  'referrer-policy': 'same-origin',
};

/**
 * For a page whose script calls the service, to buy a probe and follow its progress, or to fetch files and verify
 * them.
 */
export const CALLING_HEADERS: Readonly<Record<string, string>> = {
  ...PAGE_HEADERS,
  'content-security-policy': `${PAGE_CSP}; connect-src 'self'`,
};

/** A page or file that readers may cache for `maxAgeSec` and then revalidate by its entity tag. */
export function keepable(
  body: string,
  maxAgeSec: number,
  headers: Readonly<Record<string, string>> = PAGE_HEADERS,
): Published {
  return { body, etag: contentTag(body), headers: { ...headers, 'cache-control': `public, max-age=${maxAgeSec}` } };
}
