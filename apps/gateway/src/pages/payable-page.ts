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

/** The tool `find_payable` as a page: hosts that answered with a challenge that an agent can pay. */
export const payable: PageDefinition = {
  path: PATH,
  query: { properties },
  operationId: 'payable_hosts',
  summary: 'Payable hosts',
  answers: {
    ...validatedAnswer('The page.', HTML, ['Content-Security-Policy']),
    400: refusedAsPage('The query cannot be read.'),
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
    description: 'Hosts that answered a live request with a payment challenge that an agent can pay.',
    canonical: `${baseUrl}${PATH}`,
    body: html`<header class="plain-head">
        <h1>Payable hosts</h1>
        <p>
          Hosts that answered a live request with a payment challenge that passed every check, in alphabetical order.
          Evidence, no ranking and no advice: probe a host again before you pay it.
        </p>
      </header>
      ${filterForm(query)}
      <section aria-labelledby="hosts">
        <h2 id="hosts">Hosts</h2>
        ${
          hosts.length === 0
            ? html`<p class="soft">No host that was probed matches.</p>`
            : html`<ul class="plain payable">
                ${hosts.map(host)}
              </ul>`
        }
        ${nextCursor !== undefined && html`<p class="links"><a href="${addressOf(query, nextCursor)}" rel="next">More hosts</a></p>`}
        <p class="soft">
          The same <a href="/docs#find_payable">over HTTP</a> and as the MCP tool <code>find_payable</code>.
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

/** Works without a script: a form that GETs this page. */
function filterForm(query: Query): Html {
  const stated = (name: string): string => (typeof query[name] === 'string' ? query[name] : '');
  return html`<form class="filter" action="${PATH}" method="get">
    <label>Name or URL contains <input name="query" type="text" maxlength="253" value="${stated('query')}" /></label>
    <label
      >Protocol
      <select name="protocol">
        ${['', 'x402', 'mpp'].map((id) =>
          id === stated('protocol')
            ? html`<option value="${id}" selected>${id || 'any'}</option>`
            : html`<option value="${id}">${id || 'any'}</option>`,
        )}
      </select></label
    >
    <label
      >Network <input name="network" type="text" maxlength="64" placeholder="base" value="${stated('network')}"
    /></label>
    <label
      >At most, in USD
      <input name="maxPriceUsd" type="text" inputmode="decimal" placeholder="0.05" value="${stated('maxPriceUsd')}"
    /></label>
    <button type="submit">Show hosts</button>
  </form>`;
}

/** This page with the same filter, from the host after `cursor`. */
function addressOf(query: Query, cursor: string): string {
  const filter = Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return `${PATH}?${new URLSearchParams({ ...Object.fromEntries(filter), cursor }).toString()}`;
}
