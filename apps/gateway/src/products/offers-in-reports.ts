import { priceUsd } from '@app/payments';
import { hostPath, MCP_PATH, PATHS, subscriptionPath } from '../http/paths';
import { reportPath, shortHash } from '@app/signing';
import type { ReportOffers } from '../reports/report-offers';
import { hostRefresh } from './host-refresh';
import type { Installation } from './installation';
import { atomicPrice } from './price';

/** The offers that reports contain (behaviour 3.6, behaviour 7.6). @param network CAIP-2 */
export function reportOffers(installation: Installation, network: string): ReportOffers {
  const { baseUrl, subscription } = installation;
  const docsOf = (operation: string): string => `${baseUrl}${PATHS.reference}#${operation}`;
  const refreshUsd = priceUsd(atomicPrice(hostRefresh.price(installation)));
  const subscriptionUsd = priceUsd(atomicPrice(subscription.price));
  return {
    refresh: (host) => ({
      payable: true,
      priceUsd: refreshUsd,
      network,
      rest: { method: 'GET', url: `${baseUrl}${hostPath(host)}/refresh` },
      mcp: { tool: 'refresh_host', path: MCP_PATH },
      docs: docsOf('refresh_host'),
    }),
    stored: (host, hex, len) => {
      const sha256 = shortHash(hex);
      return { uri: `${baseUrl}${reportPath(host.ascii, sha256)}`, sha256, len };
    },
    subscribe: (host) => ({
      priceUsd: subscriptionUsd,
      days: subscription.days,
      network,
      rest: { method: 'POST', url: `${baseUrl}${subscriptionPath(host)}` },
      docs: docsOf('subscribe'),
    }),
  };
}
