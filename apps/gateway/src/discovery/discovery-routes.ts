import { PROBER_PATH } from '@app/signing';
import { PATHS } from '../http/paths';
import { onceOf, published, publishedJson, sendPublished, type Published } from '../http/published';
import { RequestError } from '../http/request-error';
import type { Installation } from '../products/installation';
import { defineRoute, type Route } from '../routes/define-route';
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
} from '../routes/json-schema';
import type { OpenApiDocument } from '../routes/openapi-document';
import type { Operation } from '../routes/operation';
import { json, validatedAnswer, type ErrorStatus } from '../routes/responses';
import type { Members } from '../routes/schema';
import { ardManifest } from './ard-manifest';
import { llmsText } from './llms-text';
import { mcpManifest, mcpServerCard } from './mcp-manifest';
import { x402Manifest } from './x402-manifest';

const LINKSET = object({
  linkset: list(open({ anchor: url, 'service-desc': list(open({ href: url })) })),
});

const X402_MANIFEST = object({
  version: { const: 1 },
  x402Version: { const: 2 },
  kind: { const: 'resource-server' },
  name: text,
  description: text,
  resources: about('Method and URL of each product.', list(text)),
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

const ARD_MANIFEST = object({
  specVersion: text,
  host: object({ displayName: text, identifier: url }),
  entries: list(object({ identifier: text, displayName: text, type: text, url, representativeQueries: list(text) })),
});

/** The services that the documents are built from. */
interface DocumentDeps {
  readonly installation: Installation;
  readonly document: OpenApiDocument;
}

interface PublishedDocument extends Pick<Operation, 'operationId' | 'summary'> {
  readonly path: string;
  /** As `content` of an OpenAPI response. */
  readonly content: Members;
  readonly make: (site: Installation) => Published;
}

function textDocument(
  path: string,
  operationId: string,
  summary: string,
  make: (site: Installation) => string,
): PublishedDocument {
  const content = { 'text/plain': { schema: text } };
  return { path, operationId, summary, content, make: (site) => published('text/plain; charset=utf-8', make(site)) };
}

function jsonDocument(
  path: string,
  operationId: string,
  summary: string,
  [schema, make, type = 'application/json']: readonly [JsonSchema, (site: Installation) => object, type?: string],
): PublishedDocument {
  const content = { [type.replace(/;.*/, '')]: { schema } };
  return { path, operationId, summary, content, make: (site) => publishedJson(make(site), type) };
}

const RFC_9727 = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';
/** Crawlers may read everything; paid routes ask for payment anyway. */
const robotsText = ({ baseUrl }: Installation): string =>
  `User-agent: *\nAllow: /\n\nSitemap: ${baseUrl}/sitemap.xml\n`;

/** The documents through which software discovers this service. */
export const DOCUMENTS: readonly PublishedDocument[] = [
  jsonDocument(PATHS.catalogue, 'api_catalog', 'The APIs of this service (RFC 9727)', [LINKSET, apiCatalog, RFC_9727]),
  jsonDocument(PATHS.x402, 'x402_manifest', 'What this service sells (x402 manifest)', [X402_MANIFEST, x402Manifest]),
  jsonDocument(PATHS.mcp, 'mcp_manifest', 'Manifest of the MCP server', [MCP_MANIFEST, mcpManifest]),
  jsonDocument(PATHS.serverCard, 'mcp_server_card', 'Server card of the MCP server (SEP-2127)', [
    SERVER_CARD,
    mcpServerCard,
  ]),
  jsonDocument(PATHS.ard, 'ard_manifest', 'Resources for agents (ARD)', [ARD_MANIFEST, ardManifest]),
  textDocument(PATHS.llms, 'llms_txt', 'An overview for language models (llmstxt.org)', llmsText),
  textDocument(PATHS.robots, 'robots_txt', 'Rules for crawlers (RFC 9309)', robotsText),
];

/** Rendered for each request, because it contains an expiry date. */
const SECURITY = textDocument(PATHS.security, 'security_txt', 'Where to report a vulnerability (RFC 9116)', (site) =>
  securityText(site, new Date()),
);

function documentRoute(
  { path, operationId, summary, content }: Omit<PublishedDocument, 'make'>,
  handle: (deps: DocumentDeps) => Published,
  ...errors: readonly ErrorStatus[]
): Route<DocumentDeps> {
  return defineRoute({
    ...{ operationId, summary, errors, handle, send: sendPublished },
    route: `GET ${path as `/${string}`}`,
    description: `${summary}. Free; the same for everybody.`,
    tag: 'discovery',
    answers: validatedAnswer(summary, content),
  });
}

const OPEN_API = {
  summary: 'This document',
  content: json(open({ openapi: { const: '3.1.0' }, info: anyObject, paths: anyObject })),
};
const openApiOnce = onceOf();
const openApi = ({ document }: DocumentDeps): Published => openApiOnce(document, () => publishedJson(document));

/** The OpenAPI document, at two URLs because some clients expect the second, and the other documents. */
export const DISCOVERY_ROUTES = [
  documentRoute({ ...OPEN_API, path: PATHS.openApi, operationId: 'openapi' }, openApi),
  documentRoute({ ...OPEN_API, path: `/.well-known${PATHS.openApi}`, operationId: 'openapi_well_known' }, openApi),
  ...DOCUMENTS.map((document) => {
    const once = onceOf();
    return documentRoute(document, ({ installation }) => once(installation, () => document.make(installation)));
  }),
  documentRoute(SECURITY, ({ installation }) => SECURITY.make(installation), 404),
];

/** `/.well-known/api-catalog` (RFC 9727), a JSON link set (RFC 9264). */
function apiCatalog({ baseUrl }: Pick<Installation, 'baseUrl'>): object {
  return {
    linkset: [
      {
        anchor: `${baseUrl}${PATHS.api}`,
        'service-desc': [{ href: `${baseUrl}${PATHS.openApi}`, type: 'application/json' }],
        'service-doc': [
          { href: `${baseUrl}${PATHS.reference}`, type: 'text/html' },
          { href: `${baseUrl}${PATHS.llms}`, type: 'text/plain' },
          { href: `${baseUrl}${PROBER_PATH}`, type: 'text/html' },
        ],
        'service-meta': [PATHS.x402, PATHS.mcp].map((path) => ({
          href: `${baseUrl}${path}`,
          type: 'application/json',
        })),
        status: [{ href: `${baseUrl}${PATHS.health}`, type: 'application/json' }],
      },
    ],
  };
}

/** RFC 9116 recommends less than a year. */
const VALID_DAYS = 180;
const DAY_MS = 86_400_000;

/** `/.well-known/security.txt` (RFC 9116), which requires a contact. @throws {RequestError} 404 without a contact */
function securityText({ baseUrl, contact }: Installation, now: Date): string {
  if (contact === null) throw new RequestError('not_found', 'The operator of this service publishes no contact.');
  const expires = new Date((Math.floor(now.getTime() / DAY_MS) + VALID_DAYS) * DAY_MS);
  return [
    `Contact: ${contact}`,
    `Expires: ${expires.toISOString()}`,
    'Preferred-Languages: en',
    `Canonical: ${baseUrl}${PATHS.security}`,
    '',
  ].join('\n');
}
