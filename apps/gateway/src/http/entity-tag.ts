import { createHash } from 'node:crypto';

/** A strong tag for a content or for its source. Equal input gives the same tag in every process. */
export function contentTag(content: string | Buffer): string {
  return `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
}

/** Whether `If-None-Match` contains the tag, by weak comparison, or is `*` (RFC 9110 section 13.1.2). */
export function knowsTag(header: string | undefined, etag: string): boolean {
  if (header === undefined || header === etag) return header === etag;
  return header.split(',').some((tag) => ['*', strong(etag)].includes(strong(tag.trim())));
}

function strong(tag: string): string {
  return tag.replace(/^W\//, '');
}
