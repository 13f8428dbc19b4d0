import type { HostReport } from '@app/reports';
import { html, type Html } from '../../http/html';
import { inOwnScript } from '../../reports/words/marks';
import { payButton } from './pay-button';

/** The page of a host without a report: what that means, and what a probe costs. */
export function unprobedHost(report: HostReport, freeProbes: boolean): Html {
  const { domain, refresh, optedOut } = report;
  return html`<header class="summary">
      <p class="over">Host report</p>
      <h1>${domain}</h1>
      ${inOwnScript(domain)}
      <p class="line quiet">This host was never probed.</p>
    </header>
    ${
      optedOut
        ? html`<p class="note">The owner of this host has asked not to be probed, so there is no report.</p>`
        : html`<div class="pair">
            <section aria-labelledby="free">
              <h2 id="free">A free probe</h2>
              <p>
                It reads what the host publishes, at most once a day and when there is spare capacity, and takes some
                seconds.
              </p>
              ${freeProbes ? probeForm(domain) : html`<p>This service makes none.</p>`}
            </section>
            <section aria-labelledby="live">
              <h2 id="live">A live probe, ${refresh.priceUsd} USD</h2>
              <p>
                It also tries what the host declares: paid routes, handshakes. Any x402 client can pay for it in USDC.
                You are not charged when the service cannot probe.
              </p>
              ${payButton(report)}
              <pre tabindex="0" aria-label="Request for a live probe">GET ${refresh.rest.url}</pre>
              <p><a href="/pricing#live">How to pay</a> · <a href="/hosts/${domain}/claim">This host is mine</a></p>
            </section>
          </div>`
    }`;
}

/** The button that starts the free probe of a host; works without a script. */
export function probeForm(domain: string): Html {
  return html`<form class="probe" method="post" action="/hosts/${domain}/probe">
    <button class="button">Probe now, free</button>
    <button class="quiet" formaction="/hosts/${domain}/probe?listed=no">
      Probe, and keep the name off the start page
    </button>
  </form>`;
}
