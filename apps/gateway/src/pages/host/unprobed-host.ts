import { summaryOf, type HostReport } from '@app/reports';
import { html, type Html } from '../../http/html';
import { inOwnScript, moment } from '../../reports/words/marks';
import type { HostReading } from '../../reports/host-reading';
import { payButton } from './pay-button';

type UnprobedHostDeps = Pick<HostReading, 'report' | 'waits'> & { readonly freeProbes: boolean };

/** The page of a host that has no report. */
export function unprobedHost({ report, freeProbes, waits }: UnprobedHostDeps): Html {
  const { domain, refresh, optedOut } = report;
  const { headline, more } = summaryOf(report);
  return html`<header class="summary">
      <p class="over">Host report</p>
      <h1>${domain}</h1>
      ${inOwnScript(domain)}
      <p class="line quiet">${headline} <span class="more">${more}</span></p>
    </header>
    ${
      !optedOut &&
      html`<div class="pair">
        <section aria-labelledby="free">
          <h2 id="free">Free probe</h2>
          <p>Reads the published files. Takes a few seconds; once a day per host.</p>
          ${freeProbes ? probeForm(report, waits) : html`<p>This service does not offer free probes.</p>`}
        </section>
        <section aria-labelledby="live">
          <h2 id="live">Live probe, $${refresh.priceUsd}</h2>
          <p>
            Also tests payment and live endpoints. Any x402 client can pay for it in USDC. No charge if the probe fails
            on our side.
          </p>
          ${!waits && payButton(report)}
          <pre tabindex="0" aria-label="Request for a live probe">GET ${refresh.rest.url}</pre>
          <p><a href="/pricing#live">How to pay</a> · <a href="/hosts/${domain}/claim">I own this host</a></p>
        </section>
      </div>`
    }`;
}

/** The buttons that start the free probe of a host, unless we have to wait. They work without a script. */
export function probeForm({ domain, skipped }: HostReport, waits = false): Html {
  if (waits && skipped?.until !== undefined) return html`<p>Next free probe: ${moment(skipped.until)}.</p>`;
  return html`<form class="probe" method="post" action="/hosts/${domain}/probe">
    <button class="button">${skipped ? 'Try again, free' : 'Probe now, free'}</button>
    <button class="quiet" formaction="/hosts/${domain}/probe?listed=no">
      Probe without listing it on the start page
    </button>
  </form>`;
}
