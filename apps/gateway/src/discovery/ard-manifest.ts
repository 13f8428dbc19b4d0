import type { Installation } from '../products/installation';
import { PATHS } from '../http/paths';

/** An entry of the manifest: a document, and example questions that it answers. */
interface Resource {
  readonly name: string;
  readonly displayName: string;
  readonly type: string;
  readonly path: string;
  readonly representativeQueries: readonly string[];
}

const RESOURCES: readonly Resource[] = [
  {
    name: 'mcp:hostprobe',
    displayName: 'hostprobe MCP server',
    type: 'application/mcp-server-card+json',
    path: PATHS.serverCard,
    representativeQueries: ['can an agent pay this host', 'which commerce protocols does this host publish'],
  },
  {
    name: 'api:hostprobe',
    displayName: 'hostprobe API',
    type: 'application/vnd.oai.openapi+json',
    path: PATHS.openApi,
    representativeQueries: ['probe a host now', 'read the latest report about a host'],
  },
  {
    name: 'docs:llms',
    displayName: 'hostprobe for language models',
    type: 'text/plain',
    path: PATHS.llms,
    representativeQueries: ['what does hostprobe sell', 'how do I pay hostprobe'],
  },
];

/**
 * `/.well-known/ard.json` (https://github.com/ards-project/ard-spec, 0.91): the resources of this service for agents.
 */
export function ardManifest({ baseUrl }: Pick<Installation, 'baseUrl'>): object {
  const publisher = new URL(baseUrl).hostname;
  return {
    specVersion: '0.91',
    host: { displayName: 'hostprobe', identifier: baseUrl },
    entries: RESOURCES.map(({ name, path, ...resource }) => ({
      identifier: `urn:air:${publisher}:${name}`,
      ...resource,
      url: `${baseUrl}${path}`,
    })),
  };
}
