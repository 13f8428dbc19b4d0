import { MCP_PATH } from '../http/paths';
import type { McpService } from './mcp-service';
import { isPaid, TOOLS } from './tools';
import type { Installation } from '../products/installation';
import { priceText } from '../products/price';
import { defineRoute, type Route } from '../routes/define-route';
import { SUBSCRIBER } from '../routes/parameters';
import { answer } from '../routes/recorded-answers';
import { json, RECEIPT, response, type Responses } from '../routes/responses';
import { componentRef, type Members } from '../routes/schema';

/** Error responses of plain JSON-RPC, by status. An MCP client gets a result with 200 instead. */
const ERROR_RESPONSES: Readonly<Record<number, string>> = {
  400: 'Invalid message or arguments. No payment is requested.',
  401: 'The key or signed message is invalid, or for another host.',
  403: 'The host opted out, or the Host or Origin header is not allowed.',
  404: 'Unknown method.',
  409: 'This payment was already used for another request.',
  413: 'The body is larger than 64 KiB.',
  415: 'The body is not JSON.',
  429: 'Too many requests, or too many probes of the host. No payment is requested.',
  500: 'Internal error. Nothing was charged.',
  502: 'The probe failed on our side. Nothing was charged.',
  503: 'Workers, payments or the database are unavailable. Send the same payment again later.',
  504: 'The probe timed out. Nothing was charged.',
};

const schema = (name: string, example?: unknown): Members => json(componentRef('schemas', name), example);

/** The request of the example answer. */
export const MCP_EXAMPLE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'participation_check', arguments: { domain: 'example.com' } },
};

const ERRORS: Responses = Object.fromEntries(
  Object.entries(ERROR_RESPONSES).map(([status, words]) => [
    status,
    response(words, ['Retry-After', 'WWW-Authenticate'], schema('McpError')),
  ]),
);

interface McpRouteDeps {
  readonly mcp: Pick<McpService, 'answer'>;
}

/** Endpoint 6 of behaviour 7.1. GET and DELETE are for sessions, so they get 405. */
export const mcpRoute = (installation: Pick<Installation, 'subscription'>): Route<McpRouteDeps> =>
  defineRoute({
    route: `POST ${MCP_PATH}`,
    operationId: 'mcp',
    summary: 'All tools, over MCP or plain JSON-RPC',
    description: `Stateless Streamable HTTP (https://modelcontextprotocol.io), protocol versions 2025-11-25 and 2026-07-28. Free: ${FREE.join(', ')}. Paid: ${paidTools(installation).join(', ')}. A payment for a route is also valid for its tool, and vice versa.`,
    tag: 'mcp',
    security: [{}, ...SUBSCRIBER],
    shared: ['PAYMENT-SIGNATURE', 'X-PAYMENT', 'X-402-Version', 'x402Version', 'Idempotency-Key', 'Prefer'],
    requestBody: { required: true, content: schema('McpRequest', MCP_EXAMPLE) },
    answers: {
      ...ERRORS,
      200: response(
        'The result, or an MCP error.',
        ['PAYMENT-REQUIRED', 'WWW-Authenticate', 'Retry-After', ...RECEIPT],
        answer('McpAnswer'),
      ),
      202: response('The notification was accepted.', []),
      402: response(
        'An unpaid call of a paid tool.',
        ['PAYMENT-REQUIRED', 'PAYMENT-RESPONSE', 'X-PAYMENT-RESPONSE'],
        schema('McpPaymentRequired'),
      ),
    },
    handle: ({ mcp }: McpRouteDeps, _, request) => mcp.answer(request),
    send: (reply, { status, headers, body }) => {
      void reply.status(status).headers(headers);
      if (body === undefined) void reply.send();
      else void reply.type('application/json; charset=utf-8').send(body);
    },
  });

const FREE = TOOLS.filter((tool) => !isPaid(tool)).map(({ name }) => `\`${name}\``);

function paidTools(installation: Pick<Installation, 'subscription'>): readonly string[] {
  return TOOLS.filter(isPaid).map((tool) => `\`${tool.name}\` (${priceText(tool.price(installation))})`);
}
