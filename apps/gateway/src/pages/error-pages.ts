import { html, type Html } from '../http/html';
import { searchField } from './layout/page';
import { PAGE_HEADERS } from './layout/page-response';
import { errorEntry, isErrorCode } from '../http/error-codes';
import type { ErrorForm } from '../http/error.filter';
import type { PageRequest } from './page-definition';
import { layout, PAGES } from './page-registry';
import type { FastifyRequest } from 'fastify';

/** The maximum length of a domain name. */
const MAX_DOMAIN = 253;

/** The page that people see instead of `{ error, code }`. The field keeps its text, so that it can be corrected. */
export const ERROR_PAGES: ErrorForm = {
  wants: asksForPage,
  send: ({ status, body }, request, reply) => {
    const page = PAGES.find(({ path }) => path === request.routeOptions.url);
    const form = page?.correction?.(request as PageRequest) ?? searchField(typedDomain(request));
    void reply
      .headers({ ...PAGE_HEADERS, 'cache-control': 'no-store' })
      .send(errorPage(status, String(body['code']), String(body['error']), form));
  },
};

function typedDomain({ query, params }: FastifyRequest): string {
  const { domain } = { ...(query as object), ...(params as object) } as { readonly domain?: unknown };
  return typeof domain === 'string' ? domain.slice(0, MAX_DOMAIN) : '';
}

function errorPage(status: number, code: string, sentence: string, form: Html): string {
  const headline = inFull(sentence);
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
        ${form}
      </header>
      <p class="links">
        <a href="/">Start page</a> <a href="/payable">Payable hosts</a> <a href="/docs">API reference</a>
      </p>`,
  });
}

/** A message about an argument begins with its name, in lower case and without a full stop. */
function inFull(sentence: string): string {
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`.replace(/[^.]$/, '$&.');
}

/** The first path segment of every page for people. */
const PAGE_ROOTS = new Set(PAGES.filter(({ refused }) => refused === undefined).map(({ path }) => path.split('/')[1]));
/** Paths of pages, regardless of the Accept header. The feeds and badges below them are for programs. */
const FOR_PEOPLE = new RegExp(`^/(?:${[...PAGE_ROOTS].join('|')})(?:/[^/]*)?$`);
/** The paths that the forms of pages post to. */
const FORMS = PAGES.filter(({ method }) => method === 'POST').map(
  ({ path }) => new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`),
);
/** Paths for programs, which get JSON even when a browser opens them. */
const PROGRAMS = /^\/(?:api|badge|health|\.well-known)(?:\/|$)/;

/** Whether to send an error as a page: on the path of a page, or if a browser requests an unknown path. */
export function asksForPage({ url, method, headers }: Pick<FastifyRequest, 'url' | 'method' | 'headers'>): boolean {
  const path = url.split('?', 1)[0] ?? '';
  if (method === 'POST') return FORMS.some((form) => form.test(path));
  if (method !== 'GET' && method !== 'HEAD') return false;
  return FOR_PEOPLE.test(path) || (!PROGRAMS.test(path) && (headers.accept ?? '').includes('text/html'));
}
