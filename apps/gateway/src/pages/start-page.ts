import { isClosed, presentOf, shortName, STATUS_WORDS, type HostFacts } from '@app/reports';
import { html, type Html } from '../http/html';
import { validatedAnswer } from '../routes/responses';
import { searchField, type PageContent } from './layout/page';
import { keepable, PAGE_HEADERS } from './layout/page-response';
import { DISCOVERY_LINKS } from '../http/paths';
import type { Installation } from '../products/installation';
import { onceOf } from '../http/published';
import { HTML, type PageDefinition } from './page-definition';
import { FREE, priceEntries, type PriceEntry } from './price-table';
import { ago, breakable, legend, statusMark } from '../reports/words/marks';

const START_SEC = 10;

const once = onceOf();

export const start: PageDefinition = {
  path: '/',
  operationId: 'start_page',
  summary: 'Start page',
  answers: validatedAnswer('The page.', HTML, ['Content-Security-Policy', 'Link']),
  render: async ({ layout, recent, site }) => {
    const hosts = await recent.list();
    const headers = { ...PAGE_HEADERS, link: DISCOVERY_LINKS };
    return once(hosts, () => keepable(layout(startPage(hosts, site)), START_SEC, headers));
  },
};

export function startPage(
  recent: readonly HostFacts[],
  site: Pick<Installation, 'baseUrl' | 'subscription'>,
): PageContent {
  const { baseUrl } = site;
  return {
    title: 'Is your site ready for AI agents?',
    description: 'Check which agent protocols a site supports, whether agents can pay it, and see the evidence.',
    canonical: `${baseUrl}/`,
    search: false,
    body: html`<header class="hero">
        <h1>Is your site ready for AI agents?</h1>
        <p>
          For owners who want agents to find, use and pay their site, and for developers whose agents pay others. Check
          which agent protocols a site supports, whether agents can pay it, and see the evidence.
        </p>
        ${searchField()}
      </header>
      <section aria-labelledby="recent">
        <h2 id="recent">Recently probed</h2>
        ${recentHosts(recent)}
      </section>
      <div class="pair">
        <section aria-labelledby="free">
          <h2 id="free">Free</h2>
          <ul class="plain">
            ${FREE.map((line) => html`<li>${line}</li>`)}
          </ul>
        </section>
        <section aria-labelledby="paid">
          <h2 id="paid">Paid per call, in USDC</h2>
          ${priceLines(priceEntries(site))}
          <p class="soft">
            <a href="/pricing">Pricing, and what is never charged</a>
          </p>
        </section>
      </div>
      <section aria-labelledby="code">
        <h2 id="code">Use it from code</h2>
        <p>
          <a href="/docs">API reference</a>, <a href="/openapi.json">OpenAPI</a>, or MCP server at
          <code>${baseUrl}/api/v1/mcp</code>.
        </p>
        <pre tabindex="0" aria-label="Example">curl ${baseUrl}/api/v1/hosts/shop.example.com</pre>
      </section>`,
  };
}

function priceLines(prices: readonly PriceEntry[]): Html {
  return html`<dl class="prices">
    ${prices.map(
      ({ what, price }) =>
        html`<div>
          <dt>${what}</dt>
          <dd>${price}</dd>
        </div>`,
    )}
  </dl>`;
}

function recentHosts(recent: readonly HostFacts[]): Html {
  if (recent.length === 0) return html`<p class="soft">No hosts probed yet. Enter a host name above.</p>`;
  const columns = recent.find(({ protocols }) => protocols.length > 0)?.protocols ?? [];
  return html`<div class="scroll" tabindex="0" role="region" aria-labelledby="recent">
      <table class="recent">
        <thead>
          <tr>
            <th scope="col">Host</th>
            <th scope="col">Result</th>
            ${columns.map(({ id }) => html`<th scope="col" class="turned"><span>${shortName(id)}</span></th>`)}
            <th scope="col">Checked</th>
          </tr>
        </thead>
        <tbody>
          ${recent.map((host) => recentHost(host, columns))}
        </tbody>
      </table>
    </div>
    ${legend(statusMark)}`;
}

function recentHost(host: HostFacts, columns: HostFacts['protocols']): Html {
  const { domain, protocols, probedAt } = host;
  return html`<tr>
    <th scope="row"><a href="/hosts/${domain}">${breakable(domain)}</a></th>
    <td>${inShort(host)}</td>
    ${columns.map(({ id }) => {
      const status = protocols.find((cell) => cell.id === id)?.status;
      return html`<td class="dot-of">
        ${status && html`<span role="img" aria-label="${STATUS_WORDS[status]}">${statusMark(status)}</span>`}
      </td>`;
    })}
    <td class="soft">${probedAt !== undefined && ago(probedAt)}</td>
  </tr>`;
}

function inShort(host: HostFacts): string {
  if (host.reachable === false) return 'did not answer';
  if (isClosed(host)) return STATUS_WORDS.error;
  return `${presentOf(host)}${host.paymentRails.payable ? ', payable' : ''}`;
}
