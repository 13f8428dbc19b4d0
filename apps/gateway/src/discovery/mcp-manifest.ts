import { VERSION } from '@app/config';
import { MCP_PATH } from '../http/paths';
import { FREE_TOOLS, PRODUCTS } from '../products/registry';
import type { Installation } from '../products/installation';

const TITLE = 'hostprobe';
const DESCRIPTION = 'Checks which agent protocols a host supports, and whether agents can pay it.';

type Base = Pick<Installation, 'baseUrl'>;

/** `/.well-known/mcp.json`: URL and capabilities of the MCP endpoint, in the format that most hosts use. */
export function mcpManifest({ baseUrl }: Base): object {
  return {
    name: TITLE,
    version: VERSION,
    description: DESCRIPTION,
    endpoint: `${baseUrl}${MCP_PATH}`,
    transport: { type: 'streamable-http', url: `${baseUrl}${MCP_PATH}` },
    tools: [...FREE_TOOLS, ...PRODUCTS.filter(({ tool }) => tool)].map(({ name, title, what }) => ({
      name,
      title,
      description: what,
    })),
  };
}

/** `/.well-known/mcp/server-card.json` (https://modelcontextprotocol.io, SEP-2127). */
export function mcpServerCard({ baseUrl }: Base): object {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json',
    name: `${new URL(baseUrl).hostname.split('.').reverse().join('.')}/${TITLE}`,
    title: TITLE,
    version: VERSION,
    description: DESCRIPTION,
    websiteUrl: baseUrl,
    remotes: [{ type: 'streamable-http', url: `${baseUrl}${MCP_PATH}` }],
  };
}
