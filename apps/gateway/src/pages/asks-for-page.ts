import type { FastifyRequest } from 'fastify';
import { PAGES } from './registry';

/** The first segments of the paths of pages for people. */
const PAGE_ROOTS = new Set(PAGES.filter(({ refused }) => refused === undefined).map(({ path }) => path.split('/')[1]));
/** Routes that are pages for any client; feeds and badges below them are not. */
const FOR_PEOPLE = new RegExp(`^/(?:${[...PAGE_ROOTS].join('|')})(?:/[^/]*)?$`);
/** Where forms of pages go. */
const FORMS = PAGES.filter(({ method }) => method === 'POST').map(
  ({ path }) => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`),
);
/** Routes for programs, whatever a browser that opens one accepts. */
const PROGRAMS = /^\/(?:api|badge|health|\.well-known)(?:\/|$)/;

/** Whether an error goes to a person: to a reader of pages, or of an unknown address that a browser asks for. */
export function asksForPage({ url, method, headers }: Pick<FastifyRequest, 'url' | 'method' | 'headers'>): boolean {
  const path = url.split('?', 1)[0] ?? '';
  if (method === 'POST') return FORMS.some((form) => form.test(path));
  if (method !== 'GET' && method !== 'HEAD') return false;
  return FOR_PEOPLE.test(path) || (!PROGRAMS.test(path) && (headers.accept ?? '').includes('text/html'));
}
