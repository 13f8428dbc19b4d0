import type { HostReport } from '@app/reports';
import { html, type Html } from '../html/html';

/** The page of a host without a report: what that means, and what a look costs. */
export function neverLookedAt({ domain, refresh, optedOut }: HostReport): Html {
  return html`<header class="verdict">
      <p class="over">Host report</p>
      <h1>${domain}</h1>
      <p class="line quiet">Nobody has looked at this host yet.</p>
    </header>
    ${
      optedOut
        ? html`<p class="note">The owner of this host has asked not to be probed, so there will be no report.</p>`
        : html`<div class="pair">
            <section aria-labelledby="free">
              <h2 id="free">A free look</h2>
              <p>
                Asking for this page asks for one: it reads what the host publishes, at most once a day, when there is
                capacity to spare. It takes some seconds.
              </p>
              <p><a class="button" href="/hosts/${domain}">Look again</a></p>
            </section>
            <section aria-labelledby="live">
              <h2 id="live">A live look, ${refresh.priceUsd} USD</h2>
              <p>
                It also tries what the host declares: paid routes, handshakes. Any x402 client pays for it in USDC, and
                you are not charged when we cannot look.
              </p>
              <pre tabindex="0" aria-label="Request for a live look">GET ${refresh.rest.url}</pre>
              <p><a href="/pricing#live">How to pay</a></p>
            </section>
          </div>`
    }`;
}
