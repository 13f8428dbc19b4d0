import { PRODUCTS } from '@app/payments';
import type { SubscriptionStatus } from '@app/subscriptions';
import {
  about,
  anyObject,
  count,
  list,
  nullable,
  number,
  object,
  oneOf,
  open,
  text,
  time,
  url,
  type JsonSchema,
} from '../mcp/json-schema';
import { CACHE_STATE, CELL, EVIDENCE, FAILURE, FIX, RAIL, RAILS, REFRESH_OFFER } from '../mcp/schemas';
import { TOOLS } from '../mcp/tools';
import { CHANGE, SUBSCRIBE_OFFER } from '../mcp/tools/list-changes.tool';
import { referring } from './schema';

const STATUSES = ['active', 'expired', 'revoked'] as const satisfies readonly SubscriptionStatus[];

const address: JsonSchema = { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' };
const atomic: JsonSchema = { type: 'string', pattern: '^[0-9]+$' };

/** A payment option of either version of x402 (https://github.com/x402-foundation/x402, specs). */
const PAYMENT_OPTION = object(
  {
    scheme: { const: 'exact' },
    network: text,
    asset: address,
    payTo: address,
    maxTimeoutSeconds: count,
    extra: open({ name: text, version: text }),
  },
  {
    amount: about('Atomic units of the asset, in version 2.', atomic),
    maxAmountRequired: about('Atomic units of the asset, in version 1.', atomic),
    resource: url,
    description: text,
    mimeType: text,
  },
);

/** Spec 2.9. */
const challenge = {
  error: text,
  code: text,
  sku: oneOf(Object.keys(PRODUCTS)),
  priceUsd: number,
  payTo: address,
  x402Version: about('2, or 1 for whoever asks for it (X-402-Version: 1).', { enum: [1, 2] }),
  accepts: { type: 'array', items: PAYMENT_OPTION, minItems: 1 },
} as const;
/** In version 2 only. */
const inBody = { resource: object({ url, description: text, mimeType: text }), extensions: anyObject };
const PAYMENT_REQUIRED = object(challenge, inBody);

/** Contract 5. */
const SUBSCRIPTION = object({
  id: text,
  domain: text,
  status: oneOf(STATUSES),
  since: time,
  expiresAt: time,
  revokedAt: nullable(time),
  subscriber: about('Address that may sign in for it.', nullable(text)),
  refreshesPerDay: count,
  manage: url,
});

const jsonrpc: JsonSchema = { const: '2.0' };
const id: JsonSchema = { type: ['string', 'integer', 'null'] };

/** What tools answer, by the name it has here. */
const ANSWERS: Readonly<Record<string, string>> = {
  lookup_host: 'HostReport',
  participation_check: 'Participation',
  list_changes: 'Changes',
  find_payable: 'PayableHosts',
  refresh_host_protocol: 'ProtocolRefresh',
  refresh_hosts_batch: 'BatchRefresh',
  pay_preflight: 'PayPreflight',
  endpoint_health: 'EndpointHealth',
  payto_check: 'PayToCheck',
  verify_receipt: 'ReceiptCheck',
};
const answers = TOOLS.flatMap((tool) => {
  const name = ANSWERS[tool.name];
  return name === undefined ? [] : [[name, tool.answer] as const];
});

const MCP_TOOL_RESULT = open({
  content: list(open({ type: text })),
  structuredContent: { anyOf: [...answers.map(([, answer]) => answer), PAYMENT_REQUIRED, FAILURE] },
});

const MCP_RESULT = object({
  jsonrpc,
  id,
  result: { anyOf: [MCP_TOOL_RESULT, { type: 'object', not: { required: ['structuredContent'] } }] },
});
const MCP_ERROR = object({ jsonrpc, id, error: object({ code: count, message: text }, { data: anyObject }) });

/** Every schema of the document that has a name; whatever else holds one of them refers to it. */
const NAMED: Readonly<Record<string, JsonSchema>> = {
  ...Object.fromEntries(answers),
  ProtocolCell: CELL,
  Evidence: EVIDENCE,
  Fix: FIX,
  PaymentRails: RAILS,
  PaymentRail: RAIL,
  CacheState: CACHE_STATE,
  RefreshOffer: REFRESH_OFFER,
  Change: CHANGE,
  SubscribeOffer: SUBSCRIBE_OFFER,
  Subscription: SUBSCRIPTION,
  NewSubscription: object({
    ...SUBSCRIPTION.properties,
    key: about('Shown once, and again under the own name of the purchase; null otherwise.', nullable(text)),
  }),
  Error: FAILURE,
  SignInRequired: object(
    { error: text, code: text, extensions: about('A message for a wallet to sign (sign-in-with-x).', anyObject) },
    { reason: text },
  ),
  PaymentRequired: PAYMENT_REQUIRED,
  PaymentOption: PAYMENT_OPTION,
  McpRequest: open({ jsonrpc, method: text }, { id, params: anyObject }),
  McpAnswer: { anyOf: [MCP_RESULT, MCP_ERROR] },
  McpResult: MCP_RESULT,
  McpToolResult: MCP_TOOL_RESULT,
  McpPaymentRequired: object({ jsonrpc, id, ...challenge }, inBody),
  McpError: MCP_ERROR,
  Readiness: object({
    status: oneOf(['ok', 'degraded', 'down', 'stopping']),
    parts: object(
      Object.fromEntries(
        ['database', 'queue', 'worker', 'facilitator'].map((part) => [part, oneOf(['up', 'down', 'off'])]),
      ),
    ),
  }),
  Liveness: object({ status: { const: 'ok' } }),
};

const names = new Map<unknown, string>(Object.entries(NAMED).map(([name, schema]) => [schema, name]));

/** `components.schemas` of the document. */
export const SCHEMAS: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  Object.entries(NAMED).map(([name, schema]) => [name, referring(schema, names)]),
);

/** The name of a schema that has one. @throws when it has none, which is a mistake of this code */
export function nameOf(schema: JsonSchema): string {
  const name = names.get(schema);
  if (name === undefined) throw new Error('this schema is no component');
  return name;
}
