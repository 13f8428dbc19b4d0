import type { HostName } from '@app/hosts';

/** Paths of the published documents, for documents that link to each other. */
export const PATHS = {
  openApi: '/openapi.json',
  /** The API reference for people, with each operation at `#<operation>`. */
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

/** Link headers of the home page, where unfamiliar software starts (RFC 8288, RFC 8631, RFC 9727 section 3). */
export const DISCOVERY_LINKS = [
  `<${PATHS.openApi}>; rel="service-desc"; type="application/json"`,
  `<${PATHS.catalogue}>; rel="api-catalog"; type="application/linkset+json"`,
  `<${PATHS.ard}>; rel="ard"; type="application/json"`,
  `<${PATHS.llms}>; rel="describedby"; type="text/plain"`,
].join(', ');

/** Path of the MCP endpoint (behaviour 11.1). */
export const MCP_PATH = '/api/v1/mcp';

/** Whether a request goes to the MCP endpoint, with any query. */
export function isMcpPath(url: string): boolean {
  return url.split('?', 1)[0]?.replace(/\/$/, '') === MCP_PATH;
}

/** Prefix of all paths about hosts. */
export const HOSTS = '/api/v1/hosts/';

/** Path of a host's free report; everything else about the host is below it. */
export function hostPath({ ascii }: Pick<HostName, 'ascii'>): string {
  return HOSTS + ascii;
}

/** Path to buy, show and cancel the subscription to a host. */
export function subscriptionPath(host: Pick<HostName, 'ascii'>): string {
  return `${hostPath(host)}/subscription`;
}

/** Path to show and end a claim. */
export function claimPath({ id }: { readonly id: string }): string {
  return `/api/v1/claims/${id}`;
}

/** Path to create and list watches. */
export const WATCHES = '/api/v1/watches';

/** Path to show, change and end a watch. */
export function watchPath({ id }: { readonly id: string }): string {
  return `${WATCHES}/${id}`;
}
