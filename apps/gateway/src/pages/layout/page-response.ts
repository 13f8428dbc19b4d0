import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** Nothing is loaded but our own style, script and badge; nothing runs inline, nothing is framed. */
export const PAGE_CSP = [
  "default-src 'none'",
  "style-src 'self'",
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
  'referrer-policy': 'no-referrer',
};

/** Something readers may keep and ask about again. */
export interface Cacheable {
  readonly body: string;
  /** Strong. */
  readonly etag: string;
  readonly maxAgeSec: number;
}

export function cacheable(body: string, maxAgeSec: number): Cacheable {
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`, maxAgeSec };
}

/** Sends it, or 304 to whoever has it. */
export function sendCacheable(
  request: Pick<FastifyRequest, 'headers'>,
  reply: FastifyReply,
  { body, etag, maxAgeSec }: Cacheable,
  headers: Readonly<Record<string, string>> = PAGE_HEADERS,
): void {
  void reply.headers({ ...headers, etag, 'cache-control': `public, max-age=${maxAgeSec}` });
  if (knows(request.headers['if-none-match'], etag)) void reply.status(304).send();
  else void reply.send(body);
}

/** RFC 9110 section 13.1.2: a list of tags, compared weakly, or any. */
function knows(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')));
}
