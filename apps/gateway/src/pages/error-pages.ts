import { html } from '../http/html';
import { searchField } from './layout/page';
import { PAGE_HEADERS } from './layout/page-response';
import { errorEntry, isErrorCode } from '../http/error-codes';
import type { ErrorForm } from '../http/error.filter';
import { written } from './error-code-pages';
import { layout, PAGES } from './page-registry';
import type { FastifyRequest } from 'fastify';

/** Longest name that is shown again in the search field: the longest there is. */
const MAX_ASKED = 253;

/** What a person sees instead of `{ error, code }`; a name that was refused stays in the search field. */
export const ERROR_PAGES: ErrorForm = {
  wants: asksForPage,
  send: ({ status, body }, { query, params }, reply) => {
    const { domain } = { ...(query as object), ...(params as object) } as { readonly domain?: unknown };
    const asked = typeof domain === 'string' ? domain.slice(0, MAX_ASKED) : '';
    void reply
      .headers({ ...PAGE_HEADERS, 'cache-control': 'no-store' })
      .send(errorPage(status, String(body['code']), String(body['error']), asked));
  },
};

function errorPage(status: number, code: string, sentence: string, asked: string): string {
  const headline = written(sentence);
  return layout({
    title: headline,
    description: headline,
    indexed: false,
    search: false,
    body: html`<header class="plain-head">
        <p class="over">
          Error ${status}, <a href="/errors/${code}"><code>${code}</code></a>
        </p>
        <h1>${headline}</h1>
        <p>${isErrorCode(code) && errorEntry(code).remedy}</p>
        ${searchField('Host name', asked)}
      </header>
      <p class="links"><a href="/">Start page</a></p>`,
  });
}

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
