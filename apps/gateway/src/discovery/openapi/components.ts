import {
  CacheState,
  Change,
  Evidence,
  Fix,
  PaymentRail,
  PaymentRails,
  ProtocolCell,
  RefreshOffer,
  SubscribeOffer,
} from '@app/reports';
import { z } from 'zod';
import {
  about,
  anyObject,
  count,
  list,
  number,
  object,
  oneOf,
  open,
  plain,
  text,
  url,
  WRITTEN,
  type JsonSchema,
} from '../../routes/json-schema';
import type { Route } from '../../routes/define-route';
import { FAILURE } from '../../routes/error-schemas';
import { FREE_TOOLS, PRODUCTS } from '../../products/registry';
import { componentRef, type Ref } from '../../routes/schema';

const ref = (name: string): Ref => componentRef('schemas', name);

const address: JsonSchema = { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' };
const atomic: JsonSchema = { type: 'string', pattern: '^[0-9]+$' };

/** A payment option of x402 version 1 or 2 (https://github.com/x402-foundation/x402, specs). */
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

/** A challenge (behaviour 9.1). */
const challenge = {
  error: text,
  code: text,
  sku: oneOf(PRODUCTS.map(({ sku }) => sku)),
  priceUsd: number,
  payTo: address,
  x402Version: about('2, or 1 for a request that asks for it (X-402-Version: 1).', { enum: [1, 2] }),
  accepts: { type: 'array', items: ref('PaymentOption'), minItems: 1 },
} as const;
/** In version 2 only. */
const inBody = { resource: object({ url, description: text, mimeType: text }), extensions: anyObject };

const jsonrpc: JsonSchema = { const: '2.0' };
const id: JsonSchema = { type: ['string', 'integer', 'null'] };

/** Named answers that do not belong to a route. */
const NAMED: Readonly<Record<string, z.ZodObject>> = {
  ...Object.fromEntries([...FREE_TOOLS, ...PRODUCTS].map(({ component, answer }) => [component, answer])),
  ProtocolCell,
  Evidence,
  Fix,
  PaymentRails,
  PaymentRail,
  CacheState,
  RefreshOffer,
  Change,
  SubscribeOffer,
};

/** The schemas of all answers by name. Other schemas refer to them. */
function answers(routes: readonly Pick<Route<never>, 'components'>[]): Readonly<Record<string, JsonSchema>> {
  const named = z.registry<{ readonly id: string }>();
  const all = [NAMED, ...routes.map(({ components }) => components)].flatMap((some) => Object.entries(some));
  for (const [id, schema] of new Map(all)) named.add(schema, { id });
  const { schemas } = z.toJSONSchema(named, { ...WRITTEN, uri: (id) => ref(id).$ref });
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, plain(schema)]));
}

/** Names of the schemas that tools answer with. */
const TOOL_ANSWERS = [
  ...new Set([...FREE_TOOLS, ...PRODUCTS.filter(({ tool }) => tool)].map(({ component }) => component)),
];

/** `components.schemas` of the document. */
export function schemasOf(routes: readonly Route<never>[]): Readonly<Record<string, JsonSchema>> {
  return { ...answers(routes), ...OTHERS };
}

const OTHERS: Readonly<Record<string, JsonSchema>> = {
  Error: FAILURE,
  SignInRequired: object(
    { error: text, code: text },
    {
      extensions: about(
        'A message for the wallet to sign (sign-in-with-x). Present if this route accepts a wallet sign-in.',
        anyObject,
      ),
      reason: text,
      requestId: text,
    },
  ),
  PaymentRequired: object(challenge, inBody),
  PaymentOption: PAYMENT_OPTION,
  McpRequest: open({ jsonrpc, method: text }, { id, params: anyObject }),
  McpAnswer: { anyOf: [ref('McpResult'), ref('McpError')] },
  McpResult: object({
    jsonrpc,
    id,
    result: { anyOf: [ref('McpToolResult'), { type: 'object', not: open({ structuredContent: {} }) }] },
  }),
  McpToolResult: open({
    content: list(open({ type: text })),
    structuredContent: { anyOf: [...TOOL_ANSWERS, 'PaymentRequired', 'Error'].map(ref) },
  }),
  McpPaymentRequired: object({ jsonrpc, id, ...challenge }, inBody),
  McpError: object({ jsonrpc, id, error: object({ code: count, message: text }, { data: anyObject }) }),
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
