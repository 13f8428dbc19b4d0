import { createHash } from 'node:crypto';
import { contentTag } from '../../http/entity-tag';
import type { Published } from '../../http/published';
import { STYLE } from './assets';

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/**
 * Nothing is loaded but the script and badge of this service; nothing runs inline, no style holds but the one of all
 * pages, nothing is framed.
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
  // Other sites learn nothing of the page; forms of this one say where they come from.
  'referrer-policy': 'same-origin',
};

/** Of a page whose script buys a probe here and follows it. */
export const PAYING_HEADERS: Readonly<Record<string, string>> = {
  ...PAGE_HEADERS,
  'content-security-policy': `${PAGE_CSP}; connect-src 'self'`,
};

/** A page, or a file that pages lead to: readers may keep it for a time, and ask about it again. */
export function keepable(
  body: string,
  maxAgeSec: number,
  headers: Readonly<Record<string, string>> = PAGE_HEADERS,
): Published {
  return { body, etag: contentTag(body), headers: { ...headers, 'cache-control': `public, max-age=${maxAgeSec}` } };
}
