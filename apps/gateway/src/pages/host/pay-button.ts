import type { HostReport } from '@app/reports';
import { explorerUrl } from '@app/networks';
import { html, type Html } from '../../http/html';

/** Buys a live probe with the browser wallet. Hidden until the script finds a wallet. */
export function payButton({ domain, refresh }: Pick<HostReport, 'domain' | 'refresh'>): Html {
  return html`<p>
      <button
        type="button"
        id="pay"
        data-domain="${domain}"
        data-price="${refresh.priceUsd}"
        data-explorer="${explorerUrl(refresh.network, 'transaction', '') ?? ''}"
        hidden
      >
        Pay $${refresh.priceUsd} with your browser wallet
      </button>
    </p>
    <p id="pay-said" class="pay-said" role="status"></p>`;
}
