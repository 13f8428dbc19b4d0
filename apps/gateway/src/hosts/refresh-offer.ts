import { offer, priceUsd, type Offer } from '@app/payments';
import { HOST_REFRESH, PROTOCOL_REFRESH, REPORT_REFRESH } from './refresh-routes';
import type { HostName, RefreshOffer } from '@app/reports';

const ROUTE = '/api/v1/hosts';

/** Absolute URL of a host's free report. */
export function reportUrl(baseUrl: string, host: HostName): string {
  return `${baseUrl}${ROUTE}/${host.ascii}`;
}

/** What endpoint 2 sells. `viaReport` is the same product on the report's own URL (`?refresh=1`, spec 4.1). */
export function hostRefresh(baseUrl: string, host: HostName, viaReport = false): Offer {
  const path = viaReport ? '?refresh=1' : '/refresh';
  return offer('host_refresh', {
    method: 'GET',
    resource: `${reportUrl(baseUrl, host)}${path}`,
    route: viaReport ? REPORT_REFRESH : HOST_REFRESH,
  });
}

/** What endpoint 4 sells. */
export function protocolRefresh(baseUrl: string, host: HostName, protocol: string): Offer {
  return offer('protocol_refresh', {
    method: 'GET',
    resource: `${reportUrl(baseUrl, host)}/protocols/${protocol}/refresh`,
    route: PROTOCOL_REFRESH,
  });
}

/** Spec 2.3: how to buy a live look, as every report says. */
export function refreshOffer(baseUrl: string, host: HostName, network: string): RefreshOffer {
  const { priceAtomic, resource } = hostRefresh(baseUrl, host);
  return {
    payable: true,
    priceUsd: priceUsd(priceAtomic),
    network,
    rest: { method: 'GET', url: resource },
    mcp: { tool: 'refresh_host', path: '/api/v1/mcp' },
    docs: `${baseUrl}/openapi.json`,
  };
}
