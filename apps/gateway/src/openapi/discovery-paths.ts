import { PATHS } from '../discovery/links';
import {
  about,
  anyObject,
  count,
  list,
  number,
  object,
  oneOf,
  open,
  text,
  url,
  type JsonSchema,
} from '../mcp/json-schema';
import type { Operation, Paths } from './operation';
import { shared } from './parameters';
import { refusals, validatedAnswer, type Refusal } from './responses';
import type { Members } from './schema';

const OPENAPI = open({ openapi: { const: '3.1.0' }, info: anyObject, paths: anyObject });

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

const JSON_TYPE = 'application/json';

/** The documents by which software finds the service. */
export function discoveryPaths(): Paths {
  return {
    [PATHS.openApi]: document('openapi', 'This document', JSON_TYPE, OPENAPI),
    [`/.well-known${PATHS.openApi}`]: document('openapi_well_known', 'This document', JSON_TYPE, OPENAPI),
    [PATHS.catalogue]: document('api_catalog', 'The APIs here (RFC 9727)', 'application/linkset+json', LINKSET),
    [PATHS.x402]: document('x402_manifest', 'What is sold here, with URLs to try', JSON_TYPE, X402_MANIFEST),
    [PATHS.mcp]: document('mcp_manifest', 'Where the MCP endpoint is', JSON_TYPE, MCP_MANIFEST),
    [PATHS.serverCard]: document('mcp_server_card', 'The card of the MCP server (SEP-2127)', JSON_TYPE, SERVER_CARD),
    [PATHS.llms]: document('llms_txt', 'A map for language models (llmstxt.org)', 'text/plain', text),
    [PATHS.robots]: document('robots_txt', 'For crawlers (RFC 9309)', 'text/plain', text),
    [PATHS.security]: document('security_txt', 'Where to report a vulnerability (RFC 9116)', 'text/plain', text, 404),
  };
}

function document(
  operationId: string,
  summary: string,
  mediaType: string,
  schema: JsonSchema,
  ...refused: readonly Refusal[]
): { readonly get: Operation } {
  const content: Members = { [mediaType]: { schema } };
  return {
    get: {
      operationId,
      summary,
      tags: ['discovery'],
      security: [],
      parameters: shared('If-None-Match'),
      responses: { ...validatedAnswer(summary, content), ...refusals(...refused) },
    },
  };
}
