import { PATHS } from '../http/paths';
import { about, anyObject, count, list, number, object, oneOf, open, text, url } from '../routes/json-schema';
import { describe, publishedDocument, type Paths } from '../routes/operation';
import { json } from '../routes/responses';
import type { Members } from '../routes/schema';

const LINKSET = object({
  linkset: list(open({ anchor: url, 'service-desc': list(open({ href: url })) })),
});

const X402_MANIFEST = object({
  version: { const: 1 },
  x402Version: { const: 2 },
  kind: { const: 'resource-server' },
  name: text,
  description: text,
  resources: about('Method and URL of each.', list(text)),
  items: list(
    object(
      {
        resource: url,
        type: { const: 'http' },
        method: oneOf(['GET', 'POST']),
        description: text,
        sku: text,
        priceUsd: number,
        accepts: list(
          open({ scheme: text, network: text, amount: text, asset: text, payTo: text, maxTimeoutSeconds: count }),
        ),
        template: text,
      },
      { body: anyObject },
    ),
  ),
});

const remote = object({ type: { const: 'streamable-http' }, url }, { supportedProtocolVersions: list(text) });
const named = { name: text, version: text, description: text };
const MCP_MANIFEST = object({
  ...named,
  endpoint: url,
  transport: remote,
  tools: list(object({ name: text, title: text, description: text })),
});
const SERVER_CARD = object({ ...named, $schema: url, title: text, websiteUrl: url, remotes: list(remote) });

const plain: Members = { 'text/plain': { schema: text } };

const ARD_MANIFEST = object({
  specVersion: text,
  host: object({ displayName: text, identifier: url }),
  entries: list(object({ identifier: text, displayName: text, type: text, url, representativeQueries: list(text) })),
});

/** The documents by which software finds the service. */
export function discoveryPaths(): Paths {
  return describe([
    publishedDocument(PATHS.catalogue, 'api_catalog', 'The APIs of this service (RFC 9727)', {
      'application/linkset+json': { schema: LINKSET },
    }),
    publishedDocument(PATHS.x402, 'x402_manifest', 'What this service sells, with URLs to try', json(X402_MANIFEST)),
    publishedDocument(PATHS.mcp, 'mcp_manifest', 'Where the MCP endpoint is', json(MCP_MANIFEST)),
    publishedDocument(PATHS.serverCard, 'mcp_server_card', 'The card of the MCP server (SEP-2127)', json(SERVER_CARD)),
    publishedDocument(PATHS.ard, 'ard_manifest', 'What this service has for agents (ARD)', json(ARD_MANIFEST)),
    publishedDocument(PATHS.llms, 'llms_txt', 'A map for language models (llmstxt.org)', plain),
    publishedDocument(PATHS.robots, 'robots_txt', 'For crawlers (RFC 9309)', plain),
    publishedDocument(PATHS.security, 'security_txt', 'Where to report a vulnerability (RFC 9116)', plain, 404),
  ]);
}
