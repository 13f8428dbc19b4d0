import type { FastifyRequest } from 'fastify';

/** Routes that are pages whoever asks; feeds and badges below them are not. */
const PAGES = /^\/(?:hosts|pricing|errors|docs)?(?:\/[^/]*)?$/;
/** Routes for programs, whatever a browser that opens one accepts. */
const PROGRAMS = /^\/(?:api|badge|health|\.well-known)(?:\/|$)/;

/** Whether an error goes to a person: to a reader of pages, or of an unknown address that a browser asks for. */
export function asksForPage({ url, method, headers }: Pick<FastifyRequest, 'url' | 'method' | 'headers'>): boolean {
  const path = url.split('?', 1)[0] ?? '';
  if (method !== 'GET' && method !== 'HEAD') return false;
  return PAGES.test(path) || (!PROGRAMS.test(path) && (headers.accept ?? '').includes('text/html'));
}
