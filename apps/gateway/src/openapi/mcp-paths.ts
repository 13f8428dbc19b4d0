import { MCP_PATH } from '../mcp/mcp-path';
import { isPaid } from '../mcp/tool';
import { TOOLS } from '../mcp/tools';
import { SUBSCRIBER } from './host-paths';
import type { Paths } from './operation';
import { shared } from './parameters';
import { answer } from './recorded-answers';
import { json, RECEIPT, response, type Responses } from './responses';
import { componentRef, type Members } from './schema';

/** Why plain JSON-RPC is refused, by status. A client that speaks MCP gets a result on 200 instead. */
const REFUSALS: Readonly<Record<number, string>> = {
  400: 'The message or the arguments are wrong. No payment is asked for.',
  401: 'The key or the signed message is no good here.',
  403: 'The host opted out, or the request came to a foreign name of this service.',
  404: 'There is no such method.',
  409: 'This payment bought something else.',
  413: 'The body is larger than 64 KiB.',
  415: 'The body is not JSON.',
  429: 'Too many requests, or the host is asked too often. No payment is asked for.',
  500: 'A fault of ours. Nothing was charged.',
  502: 'The look failed on our side. Nothing was charged.',
  503: 'Not now: no worker, or payments or storage are away. The same payment may be sent again.',
  504: 'The look did not end in time. Nothing was charged.',
};

const schema = (name: string, example?: unknown): Members => json(componentRef('schemas', name), example);

/** What the example of the answer was asked. */
export const MCP_EXAMPLE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'participation_check', arguments: { domain: 'example.com' } },
};

/** Endpoint 6 of spec 4. */
export function mcpPaths(): Paths {
  const refusals: Responses = Object.fromEntries(
    Object.entries(REFUSALS).map(([status, words]) => [
      status,
      response(words, ['Retry-After', 'WWW-Authenticate'], schema('McpError')),
    ]),
  );
  const post = {
    operationId: 'mcp',
    summary: 'The same as tools: MCP, or plain JSON-RPC',
    description: `Stateless Streamable HTTP (https://modelcontextprotocol.io), protocol versions 2025-11-25 and 2026-07-28. Free: ${names(false)}. Paid, at the prices of their routes: ${names(true)}. One payment fits the route and its tool.`,
    tags: ['mcp'],
    security: [{}, ...SUBSCRIBER],
    parameters: shared('PAYMENT-SIGNATURE', 'X-PAYMENT', 'X-402-Version', 'x402Version', 'Idempotency-Key', 'Prefer'),
    requestBody: { required: true, content: schema('McpRequest', MCP_EXAMPLE) },
    responses: {
      ...refusals,
      200: response(
        'The result, or an error that a client that speaks MCP can read.',
        ['PAYMENT-REQUIRED', 'WWW-Authenticate', 'Retry-After', ...RECEIPT],
        answer('McpAnswer'),
      ),
      202: response('A notification was taken.', []),
      402: response(
        'An unpaid call of a paid tool.',
        ['PAYMENT-REQUIRED', 'PAYMENT-RESPONSE', 'X-PAYMENT-RESPONSE'],
        schema('McpPaymentRequired'),
      ),
    },
  } as const;
  return { [MCP_PATH]: { post } };
}

function names(paid: boolean): string {
  return TOOLS.filter((tool) => isPaid(tool) === paid)
    .map(({ name }) => `\`${name}\``)
    .join(', ');
}
