/** Where the documents are, for those that point at each other. */
export const PATHS = {
  openApi: '/openapi.json',
  llms: '/llms.txt',
  x402: '/.well-known/x402',
  mcp: '/.well-known/mcp.json',
  serverCard: '/.well-known/mcp/server-card.json',
  catalogue: '/.well-known/api-catalog',
  security: '/.well-known/security.txt',
  robots: '/robots.txt',
  health: '/health/ready',
  api: '/api/v1',
} as const;

/** For the home page, where software that knows nothing else begins (RFC 8288, RFC 8631, RFC 9727 section 3). */
export const DISCOVERY_LINKS = [
  `<${PATHS.openApi}>; rel="service-desc"; type="application/json"`,
  `<${PATHS.catalogue}>; rel="api-catalog"; type="application/linkset+json"`,
  `<${PATHS.llms}>; rel="describedby"; type="text/plain"`,
].join(', ');
