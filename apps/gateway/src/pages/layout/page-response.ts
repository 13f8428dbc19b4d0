import type { FastifyReply, FastifyRequest } from 'fastify';
import { contentTag, knowsTag } from '../../http/entity-tag';

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
  return { body, etag: contentTag(body), maxAgeSec };
}

/** Sends it, or 304 to whoever has it. */
export function sendCacheable(
  request: Pick<FastifyRequest, 'headers'>,
  reply: FastifyReply,
  { body, etag, maxAgeSec }: Cacheable,
  headers: Readonly<Record<string, string>> = PAGE_HEADERS,
): void {
  void reply.headers({ ...headers, etag, 'cache-control': `public, max-age=${maxAgeSec}` });
  if (knowsTag(request.headers['if-none-match'], etag)) void reply.status(304).send();
  else void reply.send(body);
}
