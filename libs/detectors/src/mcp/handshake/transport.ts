/** How to reach an MCP server. `websocket` was only a draft; `stdio` and `none` are not network transports. */
export type Transport = 'streamable-http' | 'sse' | 'websocket' | 'stdio' | 'none';

/** Better ones first; an endpoint without a transport ranks between `sse` and `websocket`. */
const RANK: Readonly<Record<Transport | 'unstated', number>> = {
  'streamable-http': 0,
  sse: 1,
  unstated: 2,
  websocket: 3,
  stdio: 4,
  none: 4,
};

const SPELLINGS: Readonly<Record<string, Transport>> = {
  streamablehttp: 'streamable-http',
  streamable: 'streamable-http',
  http: 'streamable-http',
  https: 'streamable-http',
  sse: 'sse',
  httpsse: 'sse',
  websocket: 'websocket',
  ws: 'websocket',
  stdio: 'stdio',
  none: 'none',
};

/** Parses the existing spellings (`streamable-http`, `streamable_http`, `streamableHttp`, `HTTP+SSE`). */
export function readTransport(stated: string | undefined): Transport | undefined {
  const spelling = (stated ?? '')
    .slice(0, 40)
    .toLowerCase()
    .replace(/[^a-z]/g, '');
  return Object.hasOwn(SPELLINGS, spelling) ? SPELLINGS[spelling] : undefined;
}

export function transportRank(transport: Transport | undefined): number {
  return RANK[transport ?? 'unstated'];
}
