/** Where the endpoint is (spec 4.6). */
export const MCP_PATH = '/api/v1/mcp';

/** Whether a request is to the endpoint, whatever its query. */
export function isMcpPath(url: string): boolean {
  return url.split('?', 1)[0]?.replace(/\/$/, '') === MCP_PATH;
}
