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
import { skippedText, type History, type HostReport } from '@app/reports';
import { isProbed, summaryOf, type HostReading } from '../../reports/words/summary';

/** What a host page is rendered from. Nothing in it depends on the current time, so a page can be cached as long as its report. */
export interface HostPageDeps extends HostReading {
  readonly baseUrl: string;
  /** The address to report mistakes to, `mailto:` or `https:`. */
  readonly contact: string | null;
  /** Whether the service offers free probes. */
  readonly freeProbes: boolean;
}

export function hostPage(deps: HostPageDeps): PageContent {
  const { report, baseUrl } = deps;
  const { headline, more } = summaryOf(report);
  return {
    title: `${report.domain} for AI agents`,
    description: `${headline} ${more}`.trim(),
    canonical: `${baseUrl}/hosts/${report.domain}`,
    feeds: report.domain,
    indexed: isProbed(report),
    ...(!report.optedOut && { script: WALLET_SCRIPT.path }),
    body: isProbed(report) || report.protocols.length > 0 ? reportBody(deps) : unprobedHost(deps),
  };
}

function reportBody(deps: HostPageDeps): Html {
  const { report, changes, baseUrl } = deps;
  const { fixes } = report;
  const cause = causeOf(report);
  return html`${heading(deps)} ${cause && remedyOf(cause)} ${protocolSection(report, cause !== undefined)}
    ${
      !(cause && fixes.length === 0) &&
      section('fixes', 'What to fix', fixes.length, fixList(report, `${baseUrl}/api/v1/hosts/${report.domain}`))
    }
    ${section('payment', 'Ways to pay', report.paymentRails.rails.length, railList(report))}
    ${report.history && section('availability', 'Availability', undefined, availability(report.history))}
    ${section('changes', 'Changes', changes.changes.length, changeHistory(report, changes.changes, deps.prices))}
    ${section('evidence', 'Evidence', undefined, evidenceList(report), EVIDENCE_NOTE)}
    ${!report.optedOut && section('again', 'Probe again', undefined, nextProbe(deps))}
    <div class="pair">
      ${section('badge', 'Badge', undefined, embedding(report.domain, baseUrl))}
      ${section('machines', 'Use it from code', undefined, machineLinks(deps))}
    </div>`;
}

/** When one cause explains all cells, it is stated above, and the cells are folded. */
function protocolSection(report: HostReport, folded: boolean): Html {
  const grid = cellGrid(report);
  return html`<section aria-labelledby="protocols">
    <h2 id="protocols">Protocols</h2>
    ${
      folded
        ? html`<details class="prompt">
            <summary>None of ${report.protocols.length} protocols could be checked</summary>
            ${grid}
          </details>`
        : grid
    }
  </section>`;
}

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

/** What the owner can do about a probe that could check nothing. */
function remedyOf({ reason, remedy, rule }: Cause): Html {
  return html`<section aria-labelledby="remedy">
    <h2 id="remedy">What to do</h2>
    <p>${remedy}</p>
    ${
      rule !== undefined &&
      html`<div class="copyable">
        <pre id="rule" tabindex="0" aria-label="Rule that allows the prober">${rule}</pre>
        ${copyButton('rule', 'Copy rule')}
      </div>`
    }
    <p class="links">
      <a href="/prober">About the prober</a> <a href="/reasons#${reason}">What does <code>${reason}</code> mean?</a>
    </p>
  </section>`;
}

const EVIDENCE_NOTE = html`<p class="soft">
  The requests behind each result. Quotes are from the host, shortened and stripped of invisible characters. We do not
  vouch for them.
</p>`;

function section(id: string, title: string, count: number | undefined, body: Html, note?: Html): Html {
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${title} ${count !== undefined && count > 0 && html`<span class="count">${count}</span>`}</h2>
    ${note} ${body}
  </section>`;
}

function heading({ report, freeProbes, waits }: HostPageDeps): Html {
  const { skipped } = report;
  const { tone, headline, more } = summaryOf(report);
  return html`<header class="summary">
    <p class="over">Host report</p>
    <h1>${breakable(report.domain)}</h1>
    ${inOwnScript(report.domain)}
    <p class="line ${tone}">${headline} <span class="more">${more}</span></p>
    ${isProbed(report) && skipped && html`<p class="note">${skippedText(skipped).what} This report is from before. ${skippedText(skipped).paid}</p>`}
    <dl class="clocks">
      ${clock('Published files', 'checked', report.probedAt, report.cache.presenceStale, '24 hours')}
      ${clock('Live endpoints', 'tested', report.callabilityProbedAt, report.cache.callabilityStale, '15 minutes')}
    </dl>
    ${freeProbes && report.cache.presenceStale && !report.optedOut && probeForm(report, waits)}
    <p class="links">
      ${!report.optedOut && html`<a class="button" href="#again">Probe again</a>`}
      <a href="/api/v1/hosts/${report.domain}">JSON</a>
      <a href="https://${report.domain}/" rel="noreferrer nofollow">Visit site</a>
    </p>
  </header>`;
}

/** Lets a long name wrap after a dot rather than within a label. */
function breakable(domain: string): readonly Html[] {
  return domain.split('.').map((label, index) => html`${index > 0 && html`.<wbr />`}${label}`);
}

function clock(name: string, verb: string, at: string | undefined, stale: boolean, maxAge: string): Html {
  const state = html`<span class="state" title="Up to date for ${maxAge}">
    ${statusMark(stale ? 'absent' : 'present')} ${stale ? 'Out of date' : 'Up to date'}
  </span>`;
  return html`<div class="${stale ? 'stale' : 'fresh'}">
    <dt>${name}</dt>
    <dd>${at === undefined ? `Not ${verb} yet` : html`${verb} ${moment(at)} ${state}`}</dd>
  </div>`;
}

function machineLinks({ report, baseUrl, contact }: HostPageDeps): Html {
  const { domain, refresh } = report;
  return html`<ul class="plain">
    <li><a href="/api/v1/hosts/${domain}">This report as JSON</a></li>
    ${report.report && html`<li><a href="/api/v1/hosts/${domain}/statement">Signed statement</a> (valid for 15 minutes), and how to <a href="/verify?host=${domain}">verify it</a></li>`}
    <li>Markdown: the same URL with <code>Accept: text/markdown</code></li>
    <li>
      Changes as <a href="/hosts/${domain}/changes.atom">Atom</a>,
      <a href="/hosts/${domain}/changes.json">JSON Feed</a> or
      <a href="/api/v1/hosts/${domain}/changes">JSON</a>
    </li>
    <li>Live probe: <code>GET ${refresh.rest.url}</code>, ${refresh.priceUsd} USDC over x402</li>
    <li>MCP server: <code>${baseUrl}${refresh.mcp.path}</code>, tool <code>${refresh.mcp.tool}</code></li>
    ${contact !== null && html`<li><a href="${complaint(contact, domain)}">Report a mistake</a></li>`}
  </ul>`;
}

function complaint(contact: string, domain: string): string {
  if (!contact.startsWith('mailto:')) return contact;
  return `${contact}?subject=${encodeURIComponent(`hostprobe report for ${domain}`)}`;
}

/** The badge, and the code that embeds it in another page. */
function embedding(domain: string, baseUrl: string): Html {
  const page = `${baseUrl}/hosts/${domain}`;
  const image = `${baseUrl}/badge/${domain}.svg`;
  const alt = `hostprobe report for ${domain}`;
  const snippets = [
    ['HTML', `<a href="${page}"><img src="${image}" alt="${alt}"></a>`],
    ['Markdown', `[![${alt}](${image})](${page})`],
    ['URL', image],
  ] as const;
  return html`<p><img class="badge" src="/badge/${domain}.svg" alt="Badge: ${alt}" height="20" /></p>
    <p class="soft">
      The badge shows the probe date and turns grey after 24 hours. Add <code>?protocol=x402</code> for one protocol.
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
