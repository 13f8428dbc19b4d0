import { PRESENCE_MAX_AGE_SEC } from '@app/reports';
import { html, type Html } from '../../http/html';
import { copyButton } from '../layout/page';
import { moment } from '../../reports/words/marks';
import type { HostReading } from '../../reports/host-reading';
import { payButton } from './pay-button';

interface NextProbeDeps extends Pick<HostReading, 'report' | 'waits'> {
  readonly baseUrl: string;
  readonly freeProbes: boolean;
}

/** How to probe the host again: for free and from when, or paid, with commands to copy. */
export function nextProbe(deps: NextProbeDeps): Html {
  const { report, baseUrl } = deps;
  const { domain, refresh } = report;
  return html`<p>${freeFrom(deps)}</p>
    <p>
      Probe now for $${refresh.priceUsd} (USDC, x402). Also tests payment and live endpoints. No charge if the probe
      fails on our side. <a href="/pricing#live">How to pay</a>
    </p>
    <p>
      Your site? <a href="/hosts/${domain}/claim">Claim it</a> with a DNS record or a file and get free live probes.
    </p>
    ${!deps.waits && payButton(report)}
    ${command('refresh-cli', 'Pay', `npx hostprobe refresh ${domain} --max-usd ${refresh.priceUsd} --url ${baseUrl}`)}
    ${command('refresh-curl', 'Price', `curl -i ${refresh.rest.url}`)}`;
}

function freeFrom({ report: { probedAt, cache, skipped }, freeProbes, waits = false }: NextProbeDeps): Html {
  if (!freeProbes) return html`This service does not offer free probes.`;
  if (cache.presenceStale && waits && skipped?.until !== undefined) {
    return html`Next free probe: ${moment(skipped.until)}.`;
  }
  if (cache.presenceStale || probedAt === undefined) {
    return html`Start today’s free probe with the button at the top of this page.`;
  }
  const from = new Date(Date.parse(probedAt) + PRESENCE_MAX_AGE_SEC * 1_000).toISOString();
  return html`Next free probe: ${moment(from)}.`;
}

function command(id: string, label: string, line: string): Html {
  return html`<div class="copyable">
    <span class="label">${label}</span>
    <pre id="${id}" tabindex="0" aria-label="${label}">${line}</pre>
    ${copyButton(id, 'Copy')}
  </div>`;
}
