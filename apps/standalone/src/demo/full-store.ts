import { createHash, generateKeyPairSync } from 'node:crypto';
import {
  json,
  METHOD_NOT_ALLOWED,
  NOT_FOUND,
  text,
  type DemoAnswer,
  type DemoRequest,
  type DemoSite,
} from './demo-site';
import { dualChallenge, type PricedRoute } from './priced-route';
import { answerRpc } from './rpc-endpoints';

const NAME = 'full-store.example.com';
const ORIGIN = `https://${NAME}`;
const UCP_RELEASE = '2026-08-25';

/** A store that correctly publishes every protocol that the service knows, and sells a route for a cent. */
export function fullStore(money: Pick<PricedRoute, 'network' | 'payTo'>): DemoSite {
  const documents = publishedDocuments();
  const priced: PricedRoute = {
    url: `${ORIGIN}/api/products`,
    description: 'The catalogue with prices and stock',
    amountAtomic: 10_000n,
    ...money,
  };
  return {
    name: NAME,
    shows: 'every protocol, and a route that an agent can pay',
    answer: (request) => {
      if (request.path === '/api/products') return dualChallenge(priced);
      return answerRpc(request) ?? documentAt(documents, request);
    },
  };
}

function documentAt(documents: ReadonlyMap<string, DemoAnswer>, request: DemoRequest): DemoAnswer {
  if (request.method !== 'GET' && request.method !== 'HEAD') return METHOD_NOT_ALLOWED;
  return documents.get(request.path) ?? NOT_FOUND;
}

function publishedDocuments(): ReadonlyMap<string, DemoAnswer> {
  const card = mcpCard();
  return new Map<string, DemoAnswer>([
    ['/', text('text/html', `<!doctype html><title>Full Store</title><h1>Full Store</h1><p>A demo shop.</p>`)],
    ['/.well-known/ucp', json(ucpProfile(), { 'cache-control': 'public, max-age=300', etag: '"full-store-1"' })],
    ['/.well-known/acp.json', json(acpDiscovery(), { 'cache-control': 'public, max-age=3600' })],
    ['/.well-known/agent-card.json', json(agentCard(), { 'cache-control': 'public, max-age=300' })],
    ['/.well-known/http-message-signatures-directory', keyDirectory()],
    ['/.well-known/mcp.json', json(card)],
    ['/.well-known/mcp/server-card.json', json(card)],
    [
      '/.well-known/x402',
      json({ x402Version: 2, kind: 'resource-server', name: 'Full Store', resources: resources() }),
    ],
    ['/.well-known/ai-plugin.json', json(pluginManifest())],
    ['/openapi.json', json(openapi())],
    ['/llms.txt', text('text/plain', LLMS)],
  ]);
}

const LLMS = `# Full Store

> A demo shop that publishes every agent protocol.

## API

- [OpenAPI description](${ORIGIN}/openapi.json): every route, with prices
- [MCP server](${ORIGIN}/mcp): the catalogue as tools

## Optional

- [Home page](${ORIGIN}/): for people
`;

function ucpProfile(): unknown {
  const version = UCP_RELEASE;
  const schema = (name: string) => `https://ucp.dev/${version}/schemas/shopping/${name}.json`;
  const checkout = 'dev.ucp.shopping.checkout';
  return {
    ucp: {
      version,
      services: { 'dev.ucp.shopping': [{ version, transport: 'rest', endpoint: `${ORIGIN}/ucp/v1` }] },
      capabilities: {
        [checkout]: [{ version, schema: schema('checkout') }],
        'dev.ucp.shopping.ap2_mandate': [
          {
            version,
            schema: schema('ap2_mandate'),
            extends: checkout,
            config: { vp_formats_supported: { 'dc+sd-jwt': {} } },
          },
        ],
      },
      payment_handlers: {},
    },
    keys: [mandateKey()],
  };
}

/** The public key for payment mandates of the store, generated at each start. */
function mandateKey(): unknown {
  const { x, y } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
  return { kid: 'mandates-1', kty: 'EC', crv: 'P-256', alg: 'ES256', use: 'sig', x, y };
}

function acpDiscovery(): unknown {
  return {
    protocol: { name: 'acp', version: '2026-04-17', supported_versions: ['2026-04-17'] },
    api_base_url: `${ORIGIN}/acp`,
    transports: ['rest'],
    capabilities: { services: ['checkout', 'orders'] },
  };
}

function agentCard(): unknown {
  return {
    name: 'Full Store Agent',
    description: 'Finds products and answers questions about orders.',
    version: '1.0.0',
    supportedInterfaces: [{ url: `${ORIGIN}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    capabilities: {
      extensions: [
        {
          uri: 'https://github.com/google-agentic-commerce/ap2/tree/v0.1',
          required: true,
          params: { roles: ['merchant'] },
        },
      ],
    },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'product-search', name: 'Product search', description: 'Finds products.', tags: ['products'] }],
  };
}

/** A server card in the form that most hosts publish, drafted as SEP-1649. */
function mcpCard(): unknown {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/mcp-server-card/v1.json',
    version: '1.0',
    protocolVersion: '2025-11-25',
    serverInfo: { name: 'full-store', title: 'Full Store', version: '1.0.0' },
    transport: { type: 'streamable-http', endpoint: `${ORIGIN}/mcp` },
    capabilities: { tools: {} },
  };
}

/** A key directory with a key that is generated at each start (RFC 8037 key, RFC 7638 thumbprint). */
function keyDirectory(): DemoAnswer {
  const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
  const members = { crv: 'Ed25519', kty: 'OKP', x };
  const kid = createHash('sha256').update(JSON.stringify(members)).digest('base64url');
  return json(
    { keys: [{ ...members, kid, use: 'sig', alg: 'ed25519' }] },
    { 'content-type': 'application/http-message-signatures-directory+json', 'cache-control': 'max-age=86400' },
  );
}

function resources(): unknown {
  return [{ url: `${ORIGIN}/api/products`, method: 'GET', description: 'The catalogue with prices and stock' }];
}

function pluginManifest(): unknown {
  return {
    schema_version: 'v1',
    name_for_human: 'Full Store',
    name_for_model: 'full_store',
    description_for_human: 'Search the catalogue of a demo shop.',
    description_for_model: 'Searches the catalogue of a demo shop and tells prices and stock.',
    auth: { type: 'none' },
    api: { type: 'openapi', url: `${ORIGIN}/openapi.json` },
    logo_url: `${ORIGIN}/logo.png`,
    contact_email: 'hello@full-store.example.com',
    legal_info_url: `${ORIGIN}/legal`,
  };
}

function openapi(): unknown {
  return {
    openapi: '3.1.0',
    info: { title: 'Full Store API', version: '1.0.0' },
    servers: [{ url: ORIGIN }],
    paths: {
      '/api/products': {
        get: {
          operationId: 'listProducts',
          summary: 'The catalogue with prices and stock',
          'x-payment-info': {
            price: { mode: 'fixed', currency: 'USD', amount: '0.01' },
            protocols: ['x402', 'mpp'],
          },
          responses: { '200': { description: 'The catalogue' }, '402': { description: 'Payment required' } },
        },
      },
    },
  };
}
