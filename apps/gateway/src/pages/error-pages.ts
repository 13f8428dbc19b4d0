import { html } from '../http/html';
import { searchField } from './layout/page';
import { PAGE_HEADERS } from './layout/page-response';
import { errorEntry, isErrorCode } from '../http/error-codes';
import type { ErrorForm } from '../http/error.filter';
import { asksForPage } from './asks-for-page';
import { written } from './error-code-pages';
import { layout } from './registry';

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
