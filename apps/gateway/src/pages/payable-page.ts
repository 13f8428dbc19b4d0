import { NETWORKS } from '@app/networks';
import { usdOfRail, type PayableHosts, type PaymentRail } from '@app/reports';
import type { PayableOrder } from '@app/storage';
import { RequestError } from '../http/request-error';
import { validatedAnswer } from '../routes/responses';
import { html, quoted, type Html } from '../http/html';
import type { PageContent } from './layout/page';
import { keepable } from './layout/page-response';
import { onceOf, type Published } from '../http/published';
import { findPayable, hostsSearch } from '../reports/find-payable';
import { ago, breakable } from '../reports/words/marks';
import { HTML, refusedAsPage, type PageDefinition } from './page-definition';

const KEPT_SEC = 30;
const PATH = '/payable';
const { properties = {} } = findPayable.input;
const ORDERS = ['name', 'price', 'checked'] as const satisfies readonly PayableOrder[];
/** The maximum number of hosts in a list without further pages. */
const MAX_SORTED = 50;

type Query = Readonly<Record<string, unknown>>;

const once = onceOf();

/** The tool `find_payable` as a page, which can be sorted by price and time as well. */
export const payable: PageDefinition = {
  path: PATH,
  query: {
    properties: {
      ...properties,
      sort: { type: 'string', enum: ORDERS, description: 'Sorts the hosts; by name if missing.' },
    },
  },
  operationId: 'payable_hosts',
  summary: 'Payable hosts',
  answers: {
    ...validatedAnswer('The page.', HTML, ['Content-Security-Policy']),
    400: refusedAsPage('The query is invalid.'),
  },
  render: async ({ layout, site, payable: list }, { query }) => {
    const { sort, ...search } = query;
    const order = orderOf(sort);
    const [filter, after, limit] = hostsSearch({ ...search, payable: 'true' });
    const found = await list.find(filter, after, order === 'name' ? limit : MAX_SORTED, order);
    const make = (): Published => keepable(layout(payablePage(found, search, order, site.baseUrl)), KEPT_SEC);
    return Object.keys(query).length === 0 ? once(found, make) : make();
  },
};

function orderOf(sort: unknown): PayableOrder {
  const order = sort === undefined ? 'name' : ORDERS.find((known) => known === sort);
  if (order === undefined) throw new RequestError('invalid_query', `sort must be one of ${ORDERS.join(', ')}`);
  return order;
}

function payablePage(
  { hosts, nextCursor }: PayableHosts,
  query: Query,
  order: PayableOrder,
  baseUrl: string,
): PageContent {
  return {
    title: 'Payable hosts',
    description: 'Hosts whose live payment challenge an agent can pay.',
    canonical: `${baseUrl}${PATH}`,
    body: html`<header class="plain-head">
        <h1>Payable hosts</h1>
        <p>
          For developers whose agents look for a service to buy from: hosts whose live payment challenge passed every
          check. Not a recommendation: probe again before you pay.
        </p>
      </header>
      ${filterForm(query, order)}
      <section aria-labelledby="hosts">
        <h2 id="hosts">Hosts</h2>
        ${hosts.length === 0 ? html`<p class="soft">No probed host matches.</p>` : table(hosts, query, order)}
        ${nextCursor !== undefined && more(query, order, nextCursor)}
        <p class="soft">
          Use it from code: <a href="/docs#find_payable">HTTP API</a> or the MCP tool <code>find_payable</code>.
        </p>
      </section>`,
  };
}

function more(query: Query, order: PayableOrder, cursor: string): Html {
  if (order !== 'name') {
    return html`<p class="soft">These are the first ${MAX_SORTED}. Narrow the search to see others.</p>`;
  }
  return html`<p class="links"><a href="${addressOf({ ...query, cursor })}" rel="next">More hosts</a></p>`;
}

/** The headings of the columns that can be sorted are links, so that sorting works without a script. */
function table(hosts: PayableHosts['hosts'], query: Query, order: PayableOrder): Html {
  const heading = (sort: PayableOrder, label: string): Html =>
    sort === order
      ? html`<th scope="col" aria-sort="${sort === 'checked' ? 'descending' : 'ascending'}">${label}</th>`
      : html`<th scope="col">
          <a href="${addressOf({ ...query, cursor: undefined, sort: sort === 'name' ? undefined : sort })}">${label}</a>
        </th>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-labelledby="hosts">
    <table class="payable">
      <thead>
        <tr>
          ${heading('name', 'Host')} ${heading('price', 'Price')}
          <th scope="col">Paid in</th>
          <th scope="col">Protocol</th>
          <th scope="col">Endpoint</th>
          ${heading('checked', 'Checked')}
        </tr>
      </thead>
      ${hosts.map(
        ({ domain, rails }) =>
          html`<tbody>
            ${rails.map((rail, index) => row(rail, domain, index === 0 && hostCell(domain, rails.length)))}
          </tbody>`,
      )}
    </table>
  </div>`;
}

function hostCell(domain: string, rows: number): Html {
  return html`<th scope="rowgroup" rowspan="${rows}"><a href="/hosts/${domain}">${breakable(domain)}</a></th>`;
}

function row(rail: PaymentRail, domain: string, host: Html | false): Html {
  const { assetSymbol, network, networkName, protocol, httpMethod, resource, observedAt } = rail;
  const where = networkName ?? network;
  return html`<tr>
    ${host}
    <td>${quoted(usdOfRail(rail) ?? 'unknown', 40)}</td>
    <td>${assetSymbol ?? 'unknown token'}${where !== null && html` on ${quoted(where, 40)}`}</td>
    <td>${protocol}</td>
    <td><code>${httpMethod} ${quoted(resource.replace(`https://${domain}/`, '/'), 200)}</code></td>
    <td>${ago(observedAt)}</td>
  </tr>`;
}

type Option = readonly [value: string, label: string];

/** The networks where money has value. An option on any other network is not payable. */
const MAIN_NETWORKS: readonly Option[] = NETWORKS.filter(({ testnet }) => !testnet)
  .map(({ caip2, name }) => [caip2, name] as const)
  .toSorted(([, a], [, b]) => a.localeCompare(b, 'en'));

/** A form that GETs this page, so that it works without a script. */
function filterForm(query: Query, order: PayableOrder): Html {
  const valueOf = (name: string): string => (typeof query[name] === 'string' ? query[name] : '');
  return html`<form class="filter" action="${PATH}" method="get">
    <label>Name or URL contains <input name="query" type="text" maxlength="253" value="${valueOf('query')}" /></label>
    <label
      >Protocol
      <select name="protocol">
        ${options(
          [
            ['x402', 'x402'],
            ['mpp', 'MPP'],
          ],
          valueOf('protocol'),
        )}
      </select></label
    >
    <label
      >Network
      <select name="network">
        ${options(MAIN_NETWORKS, valueOf('network'))}
      </select></label
    >
    <label
      >Max price (USD)
      <input name="maxPriceUsd" type="text" inputmode="decimal" placeholder="0.05" value="${valueOf('maxPriceUsd')}"
    /></label>
    ${order !== 'name' && html`<input type="hidden" name="sort" value="${order}" />`}
    <button type="submit">Show hosts</button>
  </form>`;
}

/** @param chosen value or label, in any case: a link may name a network either way */
function options(all: readonly Option[], chosen: string): readonly Html[] {
  return [['', 'any'] as const, ...all].map(([value, label]) =>
    [value, label].some((text) => text.toLowerCase() === chosen.toLowerCase())
      ? html`<option value="${value}" selected>${label}</option>`
      : html`<option value="${value}">${label}</option>`,
  );
}

/** The address of this page with a query. */
function addressOf(query: Query): string {
  const filter = Object.entries(query).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  const text = new URLSearchParams(Object.fromEntries(filter)).toString();
  return text === '' ? PATH : `${PATH}?${text}`;
}
