import type { PayableHosts } from '@app/reports';
import { validatedAnswer } from '../routes/responses';
import { html, quoted, type Html } from '../http/html';
import type { PageContent } from './layout/page';
import { keepable } from './layout/page-response';
import { onceOf, type Published } from '../http/published';
import { findPayable, hostsSearch } from '../reports/find-payable';
import { moment } from '../reports/words/marks';
import { railTerms } from '../reports/words/summary';
import { HTML, refusedAsPage, type PageDefinition } from './page-definition';

const KEPT_SEC = 30;
const PATH = '/payable';
const { properties = {} } = findPayable.input;

type Query = Readonly<Record<string, unknown>>;

const once = onceOf();

/** The tool `find_payable` as a page. */
export const payable: PageDefinition = {
  path: PATH,
  query: { properties },
  operationId: 'payable_hosts',
  summary: 'Payable hosts',
  answers: {
    ...validatedAnswer('The page.', HTML, ['Content-Security-Policy']),
    400: refusedAsPage('The query is invalid.'),
  },
  render: async ({ layout, site, payable: list }, { query }) => {
    const found = await list.find(...hostsSearch({ ...query, payable: 'true' }));
    const make = (): Published => keepable(layout(payablePage(found, query, site.baseUrl)), KEPT_SEC);
    return Object.keys(query).length === 0 ? once(found, make) : make();
  },
};

function payablePage({ hosts, nextCursor }: PayableHosts, query: Query, baseUrl: string): PageContent {
  return {
    title: 'Payable hosts',
    description: 'Hosts whose live payment challenge an agent can pay.',
    canonical: `${baseUrl}${PATH}`,
    body: html`<header class="plain-head">
        <h1>Payable hosts</h1>
        <p>
          Hosts whose live payment challenge passed every check. Sorted by name. Not a recommendation: probe again
          before you pay.
        </p>
      </header>
      ${filterForm(query)}
      <section aria-labelledby="hosts">
        <h2 id="hosts">Hosts</h2>
        ${
          hosts.length === 0
            ? html`<p class="soft">No probed host matches.</p>`
            : html`<ul class="plain payable">
                ${hosts.map(host)}
              </ul>`
        }
        ${nextCursor !== undefined && html`<p class="links"><a href="${addressOf(query, nextCursor)}" rel="next">More hosts</a></p>`}
        <p class="soft">
          Use it from code: <a href="/docs#find_payable">HTTP API</a> or the MCP tool <code>find_payable</code>.
        </p>
      </section>`,
  };
}

function host({ domain, rails, observedAt }: PayableHosts['hosts'][number]): Html {
  return html`<li>
    <a href="/hosts/${domain}">${domain}</a> <span class="soft">${moment(observedAt)}</span>
    <ul>
      ${rails.map(
        (rail) => html`<li>${railTerms(rail)} <code>${rail.httpMethod} ${quoted(rail.resource, 200)}</code></li>`,
      )}
    </ul>
  </li>`;
}

/** A form that GETs this page, so that it works without a script. */
function filterForm(query: Query): Html {
  const valueOf = (name: string): string => (typeof query[name] === 'string' ? query[name] : '');
  return html`<form class="filter" action="${PATH}" method="get">
    <label>Name or URL contains <input name="query" type="text" maxlength="253" value="${valueOf('query')}" /></label>
    <label
      >Protocol
      <select name="protocol">
        ${['', 'x402', 'mpp'].map((id) =>
          id === valueOf('protocol')
            ? html`<option value="${id}" selected>${id || 'any'}</option>`
            : html`<option value="${id}">${id || 'any'}</option>`,
        )}
      </select></label
    >
    <label
      >Network <input name="network" type="text" maxlength="64" placeholder="base" value="${valueOf('network')}"
    /></label>
    <label
      >Max price (USD)
      <input name="maxPriceUsd" type="text" inputmode="decimal" placeholder="0.05" value="${valueOf('maxPriceUsd')}"
    /></label>
    <button type="submit">Show hosts</button>
  </form>`;
}

/** The address of the next page of the same filter. */
function addressOf(query: Query, cursor: string): string {
  const filter = Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return `${PATH}?${new URLSearchParams({ ...Object.fromEntries(filter), cursor }).toString()}`;
}
