import type { HostName } from '@app/hosts';

/** Where the documents are, for those that point at each other. */
export const PATHS = {
  openApi: '/openapi.json',
  /** The same for people, with a call at `#<operation>`. */
  reference: '/docs',
  llms: '/llms.txt',
  x402: '/.well-known/x402',
  mcp: '/.well-known/mcp.json',
  serverCard: '/.well-known/mcp/server-card.json',
  catalogue: '/.well-known/api-catalog',
  ard: '/.well-known/ard.json',
  security: '/.well-known/security.txt',
  robots: '/robots.txt',
  health: '/health/ready',
  api: '/api/v1',
} as const;

/** For the home page, where software that knows nothing else begins (RFC 8288, RFC 8631, RFC 9727 section 3). */
export const DISCOVERY_LINKS = [
  `<${PATHS.openApi}>; rel="service-desc"; type="application/json"`,
  `<${PATHS.catalogue}>; rel="api-catalog"; type="application/linkset+json"`,
  `<${PATHS.ard}>; rel="ard"; type="application/json"`,
  `<${PATHS.llms}>; rel="describedby"; type="text/plain"`,
].join(', ');

/** Where the MCP endpoint is (behaviour 11.1). */
export const MCP_PATH = '/api/v1/mcp';

/** Whether a request is to the MCP endpoint, whatever its query. */
export function isMcpPath(url: string): boolean {
  return url.split('?', 1)[0]?.replace(/\/$/, '') === MCP_PATH;
}

/** What paths of hosts begin with. */
export const HOSTS = '/api/v1/hosts/';

/** Path of a host's free report; what is about the host is below it. */
export function hostPath({ ascii }: Pick<HostName, 'ascii'>): string {
  return HOSTS + ascii;
}

/** Where the subscription of a host is bought, shown and ended. */
export function subscriptionPath(host: Pick<HostName, 'ascii'>): string {
  return `${hostPath(host)}/subscription`;
}

/** Where a claim is shown and ended. */
export function claimPath({ id }: { readonly id: string }): string {
  return `/api/v1/claims/${id}`;
}

/** Where watches are created and listed. */
export const WATCHES = '/api/v1/watches';

/** Where a watch is shown, changed and ended. */
export function watchPath({ id }: { readonly id: string }): string {
  return `${WATCHES}/${id}`;
}
