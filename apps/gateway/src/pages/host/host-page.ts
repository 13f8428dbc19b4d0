import { WALLET_SCRIPT } from '../layout/assets';
import { html, type Html } from '../../http/html';
import { copyButton, type PageContent } from '../layout/page';
import { availabilityOf, incidentText } from '../../reports/words/availability';
import { inOwnScript, moment, statusMark } from '../../reports/words/marks';
import { availabilityChart } from './availability-chart';
import { cellGrid } from './cell-grid';
import { evidenceList } from './evidence';
import { fixList } from './fixes';
import { nextProbe } from './next-probe';
import { probeForm, unprobedHost } from './unprobed-host';
import { railList } from './rails';
import { changeHistory } from './timeline';
import { causeOf, type Cause } from '../../reports/words/cause';
import type { History, HostReport } from '@app/reports';
import { isProbed, summaryOf, type HostReading } from '../../reports/words/summary';

/** What a host's page is made of; nothing in it depends on the hour, so a page is good as long as its report is. */
export interface HostPageDeps extends HostReading {
  readonly baseUrl: string;
  /** Where to report a mistake in a report, `mailto:` or `https:`. */
  readonly contact: string | null;
  /** Whether the service makes free probes. */
  readonly freeProbes: boolean;
}

export function hostPage(deps: HostPageDeps): PageContent {
  const { report, baseUrl } = deps;
  const { headline, more } = summaryOf(report);
  return {
    title: `${report.domain}: what agents find`,
    description: `${headline} ${more}`.trim(),
    canonical: `${baseUrl}/hosts/${report.domain}`,
    feeds: report.domain,
    indexed: isProbed(report),
    ...(!report.optedOut && { script: WALLET_SCRIPT.path }),
    body: isProbed(report) || report.protocols.length > 0 ? reportBody(deps) : unprobedHost(report, deps.freeProbes),
  };
}

function reportBody(deps: HostPageDeps): Html {
  const { report, changes, baseUrl } = deps;
  const { fixes, protocols } = report;
  const cause = causeOf(report);
  return html`${heading(deps)} ${cause && remedyOf(cause)} ${protocolSection(report, cause !== undefined)}
    ${
      !(cause && fixes.length === 0) &&
      section('fixes', 'What to fix', fixes.length, fixList(report, `${baseUrl}/api/v1/hosts/${report.domain}`))
    }
    ${section('payment', 'Ways to pay', report.paymentRails.rails.length, railList(report))}
    ${report.history && section('availability', 'Availability', undefined, availability(report.history))}
    ${section('changes', 'Changes', changes.changes.length, changeHistory(report, changes.changes, deps.prices))}
    ${section('evidence', 'Evidence', undefined, evidenceList(protocols), EVIDENCE_NOTE)}
    ${!report.optedOut && section('again', 'Probe again', undefined, nextProbe(report, baseUrl, deps.freeProbes))}
    <div class="pair">
      ${section('badge', 'Badge', undefined, embedding(report.domain, baseUrl))}
      ${section('machines', 'For machines', undefined, machineLinks(deps))}
    </div>`;
}

/** Cells that one cause decided say it once, above; they are folded. */
function protocolSection(report: HostReport, folded: boolean): Html {
  const grid = cellGrid(report);
  return html`<section aria-labelledby="protocols">
    <h2 id="protocols">Protocols</h2>
    ${
      folded
        ? html`<details class="prompt">
            <summary>${report.protocols.length} protocols, none could be seen</summary>
            ${grid}
          </details>`
        : grid
    }
  </section>`;
}

/** Whether the host answered, with the probes behind it, and when it did not. */
function availability(history: History): Html {
  return html`<p>${availabilityOf(history)}</p>
    ${history.up + history.down > 0 && availabilityChart(history)}
    ${
      history.incidents.length > 0 &&
      html`<ul class="plain">
        ${history.incidents.toReversed().map((incident) => html`<li>${incidentText(incident)}</li>`)}
      </ul>`
    }`;
}

/** What the owner does about the cause of a probe that saw nothing. */
function remedyOf({ reason, remedy, rule }: Cause): Html {
  return html`<section aria-labelledby="remedy">
    <h2 id="remedy">What to do</h2>
    <p>${remedy}</p>
    ${
      rule !== undefined &&
      html`<div class="copyable">
        <pre id="rule" tabindex="0" aria-label="Rule that lets the prober pass">${rule}</pre>
        ${copyButton('rule', 'Copy rule')}
      </div>`
    }
    <p class="links"><a href="/prober">About the prober</a> <a href="/reasons#${reason}">What ${reason} means</a></p>
  </section>`;
}

const EVIDENCE_NOTE = html`<p class="soft">
  The requests that decided each status. Answers are quoted from the host, cut and without invisible characters. Text in
  them is data, not advice of this service.
</p>`;

function section(id: string, title: string, count: number | undefined, body: Html, note?: Html): Html {
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${title} ${count !== undefined && count > 0 && html`<span class="count">${count}</span>`}</h2>
    ${note} ${body}
  </section>`;
}

function heading({ report, freeProbes }: HostPageDeps): Html {
  const { tone, headline, more } = summaryOf(report);
  return html`<header class="summary">
    <p class="over">Host report</p>
    <h1>${breakable(report.domain)}</h1>
    ${inOwnScript(report.domain)}
    <p class="line ${tone}">${headline} <span class="more">${more}</span></p>
    ${report.optedOut && html`<p class="note">The owner has asked not to be probed. This is what was known before.</p>`}
    <dl class="clocks">
      ${clock('Documents', 'what is published', report.probedAt, report.cache.presenceStale, 'a day')}
      ${clock('Endpoints', 'what answers', report.callabilityProbedAt, report.cache.callabilityStale, '15 minutes')}
    </dl>
    ${freeProbes && report.cache.presenceStale && !report.optedOut && probeForm(report.domain)}
    <p class="links">
      ${!report.optedOut && html`<a class="button" href="#again">Probe again</a>`}
      <a href="/api/v1/hosts/${report.domain}">JSON</a>
      <a href="https://${report.domain}/" rel="noreferrer nofollow">Visit host</a>
    </p>
  </header>`;
}

/** A long name breaks after a dot rather than within a label. */
function breakable(domain: string): readonly Html[] {
  return domain.split('.').map((label, index) => html`${index > 0 && html`.<wbr />`}${label}`);
}

function clock(name: string, what: string, at: string | undefined, stale: boolean, good: string): Html {
  return html`<div class="${stale ? 'stale' : 'fresh'}">
    <dt>${name} <span>${what}</span></dt>
    <dd>
      ${at === undefined ? 'never tried' : moment(at)}
      <span class="state" title="A probe counts as fresh for ${good}">
        ${statusMark(stale ? 'absent' : 'present')} ${stale ? 'stale' : 'fresh'}
      </span>
    </dd>
  </div>`;
}

function machineLinks({ report, baseUrl, contact }: HostPageDeps): Html {
  const { domain, refresh } = report;
  return html`<ul class="plain">
    <li><a href="/api/v1/hosts/${domain}">This report as JSON</a>, free</li>
    ${report.report && html`<li><a href="/api/v1/hosts/${domain}/statement">The signed statement</a>: what one prober saw at this origin at this time, good for 15 minutes with ways to pay; <a href="/verify">check this report</a></li>`}
    <li>As Markdown: the same address with <code>Accept: text/markdown</code></li>
    <li>
      Changes as <a href="/hosts/${domain}/changes.atom">Atom</a>,
      <a href="/hosts/${domain}/changes.json">JSON Feed</a> or
      <a href="/api/v1/hosts/${domain}/changes">JSON</a>
    </li>
    <li>A live probe: <code>GET ${refresh.rest.url}</code>, ${refresh.priceUsd} USDC by x402</li>
    <li>For agents: MCP at <code>${baseUrl}${refresh.mcp.path}</code>, tool <code>${refresh.mcp.tool}</code></li>
    ${contact !== null && html`<li><a href="${complaint(contact, domain)}">Something here is wrong</a></li>`}
  </ul>`;
}

function complaint(contact: string, domain: string): string {
  if (!contact.startsWith('mailto:')) return contact;
  return `${contact}?subject=${encodeURIComponent(`hostprobe report of ${domain}`)}`;
}

/** The badge and how to put it on another page. */
function embedding(domain: string, baseUrl: string): Html {
  const page = `${baseUrl}/hosts/${domain}`;
  const image = `${baseUrl}/badge/${domain}.svg`;
  const alt = `hostprobe report of ${domain}`;
  const snippets = [
    ['HTML', `<a href="${page}"><img src="${image}" alt="${alt}"></a>`],
    ['Markdown', `[![${alt}](${image})](${page})`],
    ['Address', image],
  ] as const;
  return html`<p><img class="badge" src="/badge/${domain}.svg" alt="Badge: ${alt}" height="20" /></p>
    <p class="soft">
      It shows the date of the probe and turns grey after a day. Add <code>?protocol=x402</code> for one protocol.
    </p>
    ${snippets.map(
      ([name, snippet]) =>
        html`<div class="copyable">
          <span class="label">${name}</span>
          <pre id="embed-${name.toLowerCase()}" tabindex="0" aria-label="${name} of the badge">${snippet}</pre>
          ${copyButton(`embed-${name.toLowerCase()}`, 'Copy')}
        </div>`,
    )}`;
}
