// Written by hand from the specification of the interface, version 0.1.9. It is never generated: a difference is a fault of
// the service.

export const VERSION = '0.1.9';
const NETWORK = 'eip155:8453';

/** Ids of the detectors, in report order. */
export const PROTOCOLS = ['ucp', 'acp', 'ap2', 'tap', 'mcp', 'a2a', 'x402', 'mpp', 'llms', 'ai-plugin', 'openapi'];

const PROTOCOL_STATUSES = ['absent', 'present', 'partial', 'undiscoverable', 'error'];

interface Operation {
  readonly route: string;
  /** In USD; of a batch the lowest and the highest. */
  readonly price: string | readonly [string, string] | null;
  readonly tool: string | null;
  readonly statuses: readonly number[];
  /** Names of parameters; `*` marks those that must be there. */
  readonly parameters: readonly string[];
  /** Members of the 200 body; `*` marks those that must be there. */
  readonly members?: readonly string[];
}

const REPORT = [
  'domain*',
  'origin*',
  'probedAt',
  'callabilityProbedAt',
  'reachable',
  'ucp',
  'fixes',
  'protocols',
  'paymentRails',
  'cache*',
  'refresh*',
];
const ENVELOPE = ['sku*', 'data*'];
const CHECK = [200, 400, 402, 429];

export const OPERATIONS: readonly Operation[] = [
  {
    route: 'GET /api/v1/hosts/{domain}',
    price: null,
    tool: 'lookup_host',
    statuses: [200],
    parameters: ['domain*', 'refresh'],
    members: REPORT,
  },
  {
    route: 'GET /api/v1/hosts/{domain}/refresh',
    price: '0.02',
    tool: 'refresh_host',
    statuses: [200, 402],
    parameters: ['domain*'],
    members: REPORT,
  },
  {
    route: 'GET /api/v1/hosts/{domain}/changes',
    price: null,
    tool: 'list_changes',
    statuses: [200],
    parameters: ['domain*', 'limit'],
  },
  {
    route: 'GET /api/v1/hosts/{domain}/protocols/{protocol}/refresh',
    price: '0.005',
    tool: 'refresh_host_protocol',
    statuses: [200, 400, 402],
    parameters: ['domain*', 'protocol*'],
    members: ['domain*', 'probedAt*', 'protocol*', 'cell*'],
  },
  {
    route: 'POST /api/v1/hosts/refresh',
    price: ['0.012', '0.03'],
    tool: 'refresh_hosts_batch',
    statuses: [200, 400, 402],
    parameters: [],
    members: ['mode*', 'priceUsd*', 'results*'],
  },
  { route: 'POST /api/v1/mcp', price: null, tool: null, statuses: [200, 402], parameters: [] },
  {
    route: 'GET /api/v1/hosts/{domain}/pay-preflight',
    price: '0.001',
    tool: 'pay_preflight',
    statuses: CHECK,
    parameters: ['domain*', 'intent'],
    members: ENVELOPE,
  },
  {
    route: 'GET /api/v1/endpoints/health',
    price: '0.001',
    tool: 'endpoint_health',
    statuses: CHECK,
    parameters: ['url*', 'method'],
    members: ENVELOPE,
  },
  {
    route: 'GET /api/v1/hosts/{domain}/payto-check',
    price: '0.002',
    tool: 'payto_check',
    statuses: CHECK,
    parameters: ['domain*', 'address*', 'network'],
    members: ENVELOPE,
  },
  {
    route: 'GET /api/v1/receipts/{tx}/verify',
    price: '0.001',
    tool: 'verify_receipt',
    statuses: CHECK,
    parameters: ['tx*', 'payTo*', 'network', 'asset', 'amount', 'amountUsd'],
    members: ENVELOPE,
  },
];

/** The tools, and what their descriptions say of the price. */
export const TOOLS: readonly (readonly [name: string, price: string])[] = [
  ['lookup_host', 'free'],
  ['participation_check', 'free'],
  ['list_changes', 'free'],
  ['find_payable', 'free'],
  ['refresh_host', '0.02 USDC'],
  ['refresh_host_protocol', '0.005 USDC'],
  ['refresh_hosts_batch', '0.01 + 0.002 USDC for each host'],
  ['pay_preflight', '0.001 USDC'],
  ['endpoint_health', '0.001 USDC'],
  ['payto_check', '0.002 USDC'],
  ['verify_receipt', '0.001 USDC'],
];

/** Members of the schemas of the document; `*` marks those that must be there. */
export const SCHEMAS: Readonly<Record<string, readonly string[]>> = {
  CacheState: ['presenceMaxAgeSec*', 'callabilityMaxAgeSec*', 'presenceStale*', 'callabilityStale*'],
  RefreshOffer: ['payable*', 'priceUsd*', 'network*', 'rest*', 'mcp*', 'docs*'],
  Fix: ['id', 'protocol', 'problem', 'fix', 'spec'],
  ProtocolCell: ['id', 'status', 'version', 'details'],
  'ReceiptCheck/properties/data': ['verdict*', 'finality*', 'final', 'txHash', 'network'],
  PaymentRequired: ['error', 'sku', 'priceUsd', 'x402Version', 'accepts', 'payTo'],
};

/** What the document says at a path, which begins at a schema or at `METHOD path?parameter`. */
export const VALUES: Readonly<Record<string, unknown>> = {
  'CacheState/properties/presenceMaxAgeSec/const': 86_400,
  'CacheState/properties/callabilityMaxAgeSec/const': 900,
  'CacheState/properties/presenceStale/type': 'boolean',
  'CacheState/properties/callabilityStale/type': 'boolean',
  'RefreshOffer/properties/payable/const': true,
  'RefreshOffer/properties/rest/properties/method/const': 'GET',
  'RefreshOffer/properties/mcp/properties/tool/const': 'refresh_host',
  'RefreshOffer/properties/mcp/properties/path/const': '/api/v1/mcp',
  'ProtocolCell/properties/id/enum': PROTOCOLS,
  'ProtocolCell/properties/status/enum': PROTOCOL_STATUSES,
  'ProtocolCell/properties/version/type': ['string', 'null'],
  'HostReport/properties/ucp/type': ['object', 'null'],
  'BatchRefresh/properties/mode/const': 'full',
  'ReceiptCheck/properties/sku/const': 'receipt_verify',
  'ReceiptCheck/properties/data/properties/verdict/enum': [
    'settled',
    'mismatch',
    'reverted',
    'pending',
    'not_found',
    'truncated',
    'unavailable',
  ],
  'ReceiptCheck/properties/data/properties/finality/anyOf': [
    { type: 'string', enum: ['unconfirmed', 'confirmed', 'finalized'] },
    { type: 'null' },
  ],
};

/** Values of parameters, with the default where there is one. */
export const PARAMETERS: Readonly<Record<string, { readonly enum?: readonly string[]; readonly default?: string }>> = {
  'GET /api/v1/hosts/{domain}/protocols/{protocol}/refresh protocol': { enum: PROTOCOLS },
  'GET /api/v1/hosts/{domain}/pay-preflight intent': { enum: ['checkout', 'api', 'any'] },
  'GET /api/v1/endpoints/health method': { enum: ['GET', 'POST'] },
  'GET /api/v1/hosts/{domain}/payto-check network': { enum: [NETWORK] },
  'GET /api/v1/receipts/{tx}/verify network': { enum: [NETWORK, 'eip155:84532'], default: NETWORK },
  'GET /api/v1/receipts/{tx}/verify asset': { default: 'USDC' },
};

/** The body of a batch. */
export const BATCH = { required: ['domains', 'mode'], maxItems: 10, minItems: 1, mode: ['full'] };
