import { PRESENCE_MAX_AGE_SEC, type HostReport } from '@app/reports';
import { html, type Html } from '../../http/html';
import { copyButton } from '../layout/page';
import { moment } from '../../reports/words/marks';
import { payButton } from './pay-button';

/** How this host is probed again: free and from when, or paid, as commands to copy. */
export function nextProbe(report: HostReport, baseUrl: string, freeProbes: boolean): Html {
  const { domain, refresh } = report;
  return html`<p>${freeFrom(report, freeProbes)}</p>
    <p>
      A live probe for ${refresh.priceUsd} USD, paid in USDC by x402, also tries what the host declares. You are not
      charged when the service cannot probe. <a href="/pricing#live">How to pay</a>
    </p>
    <p>
      Is ${domain} yours? <a href="/hosts/${domain}/claim">Claim it</a>: owners have live probes free, and publish a DNS
      record or a file to show who they are.
    </p>
    ${payButton(report)}
    ${command('refresh-cli', 'Pay', `npx hostprobe refresh ${domain} --max-usd ${refresh.priceUsd} --url ${baseUrl}`)}
    ${command('refresh-curl', 'Price', `curl -i ${refresh.rest.url}`)}`;
}

/** The limits of callers, sites and the service may move it further: that is what "at the earliest" says. */
function freeFrom({ probedAt, cache }: HostReport, freeProbes: boolean): Html {
  if (!freeProbes) return html`This service makes no free probes.`;
  if (cache.presenceStale || probedAt === undefined) {
    return html`The free probe of the day starts with the button at the top of this page, if it is not used up.`;
  }
  const from = new Date(Date.parse(probedAt) + PRESENCE_MAX_AGE_SEC * 1_000).toISOString();
  return html`The next free probe is possible at the earliest ${moment(from)}.`;
}

function command(id: string, label: string, line: string): Html {
  return html`<div class="copyable">
    <span class="label">${label}</span>
    <pre id="${id}" tabindex="0" aria-label="${label}">${line}</pre>
    ${copyButton(id, 'Copy')}
  </div>`;
}
