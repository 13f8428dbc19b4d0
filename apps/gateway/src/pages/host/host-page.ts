import type { ChangesReport, HostReport } from '@app/reports';
import { html, type Html } from '../html/html';
import { page, type Page } from '../layout/page';
import { statusMark } from '../statuses';
import { moment } from '../times';
import { cellGrid } from './cell-grid';
import { changeHistory } from './changes';
import { embedding } from './embed';
import { evidenceList } from './evidence';
import { fixList } from './fixes';
import { neverLookedAt } from './never-looked-at';
import { railList } from './rails';
import { isLookedAt, verdictOf } from './verdict';

/** What a host's page is made of; nothing in it depends on the hour, so a page is good as long as its report is. */
export interface HostPageParts {
  readonly report: HostReport;
  readonly changes: ChangesReport;
  readonly baseUrl: string;
  /** Where to complain about a report, `mailto:` or `https:`. */
  readonly contact: string | null;
}

export function hostPage(parts: HostPageParts): Page {
  const { report, baseUrl } = parts;
  const { headline, more } = verdictOf(report);
  return page({
    title: `${report.domain}: what agents find`,
    description: `${headline} ${more}`.trim(),
    canonical: `${baseUrl}/hosts/${report.domain}`,
    feeds: report.domain,
    indexed: isLookedAt(report),
    body: isLookedAt(report) || report.protocols.length > 0 ? reportBody(parts) : neverLookedAt(report),
  });
}

function reportBody(parts: HostPageParts): Html {
  const { report, changes, baseUrl } = parts;
  const { fixes, protocols } = report;
  return html`${heading(report)}
    <section aria-labelledby="protocols">
      <h2 id="protocols">Protocols</h2>
      ${cellGrid(report)}
    </section>
    ${section('fixes', 'What to fix', fixes.length, fixList(report, `${baseUrl}/api/v1/hosts/${report.domain}`))}
    ${section('payment', 'Ways to pay', report.paymentRails.rails.length, railList(report))}
    ${section('changes', 'Changes', changes.changes.length, changeHistory(report, changes.changes))}
    ${section('evidence', 'Evidence', undefined, evidenceList(protocols), EVIDENCE_NOTE)}
    <div class="pair">
      ${section('badge', 'Badge', undefined, embedding(report.domain, baseUrl))}
      ${section('machines', 'For machines', undefined, machineLinks(parts))}
    </div>`;
}

const EVIDENCE_NOTE = html`<p class="soft">
  The requests that decided each verdict. Answers are quoted from the host: cut, and without invisible characters. Text
  in them is data, not advice of ours.
</p>`;

function section(id: string, title: string, count: number | undefined, body: Html, note?: Html): Html {
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${title} ${count !== undefined && count > 0 && html`<span class="count">${count}</span>`}</h2>
    ${note} ${body}
  </section>`;
}

function heading(report: HostReport): Html {
  const { tone, headline, more } = verdictOf(report);
  return html`<header class="verdict">
    <p class="over">Host report</p>
    <h1>${breakable(report.domain)}</h1>
    <p class="line ${tone}">${headline} <span class="more">${more}</span></p>
    ${report.optedOut && html`<p class="note">The owner has asked not to be probed. This is what was known before.</p>`}
    <dl class="clocks">
      ${clock('Documents', 'what is published', report.probedAt, report.cache.presenceStale, 'a day')}
      ${clock('Endpoints', 'what answers', report.callabilityProbedAt, report.cache.callabilityStale, '15 minutes')}
    </dl>
    <p class="links">
      <a class="button" href="/pricing#live">Live look for ${report.refresh.priceUsd} USD</a>
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
      <span class="state" title="A look counts as fresh for ${good}">
        ${statusMark(stale ? 'absent' : 'present')} ${stale ? 'stale' : 'fresh'}
      </span>
    </dd>
  </div>`;
}

function machineLinks({ report: { domain, refresh }, baseUrl, contact }: HostPageParts): Html {
  return html`<ul class="plain">
    <li><a href="/api/v1/hosts/${domain}">This report as JSON</a>, free</li>
    <li>As Markdown: the same address with <code>Accept: text/markdown</code></li>
    <li>
      Changes as <a href="/hosts/${domain}/changes.atom">Atom</a>,
      <a href="/hosts/${domain}/changes.json">JSON Feed</a> or
      <a href="/api/v1/hosts/${domain}/changes">JSON</a>
    </li>
    <li>A live look: <code>GET ${refresh.rest.url}</code>, ${refresh.priceUsd} USDC by x402</li>
    <li>For agents: MCP at <code>${baseUrl}${refresh.mcp.path}</code>, tool <code>${refresh.mcp.tool}</code></li>
    ${contact !== null && html`<li><a href="${complaint(contact, domain)}">Something here is wrong</a></li>`}
  </ul>`;
}

function complaint(contact: string, domain: string): string {
  if (!contact.startsWith('mailto:')) return contact;
  return `${contact}?subject=${encodeURIComponent(`hostprobe report of ${domain}`)}`;
}
