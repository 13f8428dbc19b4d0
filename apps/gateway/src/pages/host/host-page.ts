import { WALLET_SCRIPT } from '../layout/assets';
import { html, type Html } from '../../http/html';
import { copyButton, type PageContent } from '../layout/page';
import { availabilityOf, incidentText } from '../../reports/words/availability';
import { ago, breakable, inOwnScript } from '../../reports/words/marks';
import { availabilityChart } from './availability-chart';
import { cellGrid } from './cell-grid';
import { evidenceList } from './evidence';
import { additionSection, fixSection } from './fixes';
import { nextProbe } from './next-probe';
import { probeForm, unprobedHost } from './unprobed-host';
import { railList } from './rails';
import { changeHistory } from './timeline';
import {
  causeOf,
  countOf,
  isFailed,
  isProbed,
  skippedText,
  summaryOf,
  type Cause,
  type History,
  type HostReport,
} from '@app/reports';
import type { HostReading } from '../../reports/host-reading';

/** The data for a host page. None of it depends on the current time, so a page can be cached as long as its report. */
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
  const { report, changes, baseUrl, prices } = deps;
  const reportUrl = `${baseUrl}/api/v1/hosts/${report.domain}`;
  const cause = causeOf(report);
  const failed = isFailed(report);
  const { rails } = report.paymentRails;
  return html`${heading(deps)} ${cause && remedyOf(cause)} ${fixSection(report, reportUrl)}
    ${additionSection(report, reportUrl)} ${!failed && section('protocols', 'Protocols', undefined, cellGrid(report))}
    ${!failed && section('payment', 'Ways to pay', rails.length, railList(report))}
    ${
      report.history &&
      !(failed && report.history.up + report.history.down === 0) &&
      section('availability', 'Availability', undefined, availability(report.history))
    }
    ${
      !(failed && changes.changes.length === 0) &&
      section('changes', 'Changes', changes.changes.length, changeHistory(report, changes.changes, prices))
    }
    ${section('evidence', 'Evidence', undefined, failed ? folded(report) : evidenceList(report), EVIDENCE_NOTE)}
    ${!report.optedOut && section('again', 'Probe again', undefined, nextProbe(deps))}
    <div class="pair">
      ${section('badge', 'Badge', undefined, embedding(report.domain, baseUrl))}
      ${section('machines', 'Use it from code', undefined, machineLinks(deps))}
    </div>`;
}

/** If one cause explains all cells, the page states it at the top and folds the cells. */
function folded(report: HostReport): Html {
  return html`<details class="prompt">
    <summary>${countOf(report, 'error')} of ${report.protocols.length} protocols could not be checked</summary>
    ${evidenceList(report)}
  </details>`;
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

/** Advice for the owner after a probe that could not check anything. */
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
    <p class="line ${tone}">${headline}</p>
    <p class="soft">${more} ${checked(report)}</p>
    ${isProbed(report) && skipped && html`<p class="note">${skippedText(skipped).what} This report is from before. ${skippedText(skipped).paid}</p>`}
    ${freeProbes && report.cache.presenceStale && !report.optedOut && probeForm(report, waits)}
    <p class="links">
      ${!report.optedOut && html`<a class="button" href="#again">Probe again</a>`}
      <a href="/api/v1/hosts/${report.domain}">JSON</a>
      <a href="https://${report.domain}/" rel="noreferrer nofollow">Visit site</a>
    </p>
  </header>`;
}

/** How long ago the host was probed, and when its endpoints were tested if that differs. */
function checked({ probedAt, callabilityProbedAt }: HostReport): Html | undefined {
  if (probedAt === undefined) return undefined;
  if (callabilityProbedAt === undefined) {
    return html`Checked ${ago(probedAt)}; payment and live endpoints not tested yet.`;
  }
  const apart = Math.abs(Date.parse(callabilityProbedAt) - Date.parse(probedAt));
  if (apart <= ONE_PROBE_MS) return html`Checked ${ago(probedAt)}.`;
  return html`Checked ${ago(probedAt)}; payment and live endpoints ${ago(callabilityProbedAt)}.`;
}

/** Both timestamps of a full probe are within this many milliseconds of each other. */
const ONE_PROBE_MS = 60_000;

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
      The badge shows the probe date and turns gray after 24 hours. Add <code>?protocol=x402</code> for one protocol.
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
