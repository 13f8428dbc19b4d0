import type { HostFacts } from '@app/reports';
import { countOf } from '../host/verdict';
import { html, type Html } from '../html/html';
import { page, searchField, type Page } from '../layout/page';
import { FREE_THINGS, type PaidThing } from '../pricing/price-table';
import { shortName } from '../protocol-names';
import { STATUS_WORDS, statusMark } from '../statuses';
import { moment } from '../times';

export interface StartPageParts {
  readonly recent: readonly HostFacts[];
  readonly prices: readonly PaidThing[];
  readonly baseUrl: string;
}

export function startPage({ recent, prices, baseUrl }: StartPageParts): Page {
  return page({
    title: 'What agents find at a host',
    description:
      'Which machine-facing commerce and discovery protocols an internet host publishes, and whether agents can pay it, with evidence.',
    canonical: `${baseUrl}/`,
    search: false,
    body: html`<header class="hero">
        <h1>What do agents find at a host?</h1>
        <p>
          Which commerce and discovery protocols it publishes, whether it can be paid, and the exchange that proves each
          verdict.
        </p>
        ${searchField('Host name')}
      </header>
      <section aria-labelledby="recent">
        <h2 id="recent">Looked at lately</h2>
        ${recentHosts(recent)}
      </section>
      <div class="pair">
        <section aria-labelledby="free">
          <h2 id="free">Free</h2>
          <ul class="plain">
            ${FREE_THINGS.map((thing) => html`<li>${thing}</li>`)}
          </ul>
        </section>
        <section aria-labelledby="paid">
          <h2 id="paid">Paid per call, in USDC</h2>
          ${priceLines(prices)}
          <p class="soft">
            <a href="/pricing">All prices, and when nothing is charged</a>
          </p>
        </section>
      </div>
      <section aria-labelledby="agents">
        <h2 id="agents">For agents</h2>
        <p>
          The same over HTTP (<a href="/docs">API reference</a>, <a href="/openapi.json">OpenAPI</a>) and as tools over
          MCP at <code>${baseUrl}/api/v1/mcp</code>.
        </p>
        <pre tabindex="0" aria-label="Example">curl ${baseUrl}/api/v1/hosts/shop.example.com</pre>
      </section>`,
  });
}

function priceLines(prices: readonly PaidThing[]): Html {
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
  if (recent.length === 0) return html`<p class="soft">No host yet. Look one up.</p>`;
  return html`<ul class="recent">
    ${recent.map(recentHost)}
  </ul>`;
}

function recentHost(host: HostFacts): Html {
  const { domain, protocols, probedAt } = host;
  return html`<li>
    <a href="/hosts/${domain}">${domain}</a>
    <span class="strip" role="img" aria-label="${summaryOf(host)}">
      ${protocols.map(({ status }) => statusMark(status))}
    </span>
    <span class="said-of">${inShort(host)}</span>
    <span class="soft">${probedAt !== undefined && moment(probedAt)}</span>
  </li>`;
}

function inShort(host: HostFacts): string {
  if (host.reachable === false) return 'did not answer';
  const present = countOf(host, 'present');
  if (present === 0 && countOf(host, 'error') > 0) return 'could not look';
  return `${present === 0 ? 'none' : present} present${host.paymentRails.payable ? ', payable' : ''}`;
}

function summaryOf({ protocols }: HostFacts): string {
  return protocols.map(({ id, status }) => `${shortName(id)} ${STATUS_WORDS[status]}`).join(', ');
}
