import {
  isJsonContentType,
  type CallToolResult,
  localhostAllowedHostnames,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import type { PayloadReading } from '@app/payments';
import type { HostName } from '@app/hosts';
import { credentialOf, type Credential } from '../checkout/credential';
import { type Answer, isSale } from '../checkout/release';
import { challengeResponse } from '../checkout/sale-response';
import type { Subscribers } from '../checkout/subscribers';
import { errorResponse, responseOf, withRequestId, type ErrorResponse } from '../http/error-response';
import type { ErrorCode } from '../http/error-codes';
import { RequestError } from '../http/request-error';
import { preferredWaitMs } from '../probing-client/free-presence';
import type { FreeToolDeps } from '../reports/free-tool';
import type { Installation } from '../products/installation';
import type { Sales } from '../products/sales';
import type { Statements } from '../statements/statements';
import { McpExchange, type McpAnswer, type McpRequest } from './exchange';
import { idOf, RPC, rpcError } from './json-rpc';
import { createServer, serveMessage } from './mcp-server';
import { callPayment, PAYMENT_META } from './payment-source';
import { isPaid, listedTool, productArguments, TOOLS, type ListedTool, type Tool, type ToolArguments } from './tools';

export interface McpDeps {
  readonly installation: Pick<Installation, 'baseUrl' | 'subscription'>;
  readonly sales: Pick<Sales, 'sell'>;
  readonly free: FreeToolDeps;
  readonly statements: Pick<Statements, 'stated'>;
  readonly subscribers: Pick<Subscribers, 'concerning'>;
}

/** Endpoint 6 (behaviour 11.1): tools over stateless Streamable HTTP with JSON answers, or over plain JSON-RPC. */
export class McpEndpoint {
  private readonly guard: RebindingGuard;
  private readonly list: readonly ListedTool[];

  constructor(
    private readonly deps: McpDeps,
    private readonly tools: readonly Tool[] = TOOLS,
  ) {
    this.guard = new RebindingGuard(deps.installation.baseUrl);
    this.list = tools.map((tool) => listedTool(tool, deps.installation));
  }

  /** @throws internal errors of the service */
  async answer(request: McpRequest): Promise<McpAnswer> {
    const refused = this.refused(request);
    if (refused) return refused;
    const payment = callPayment(request.headers, request.body);
    if (payment === 'ambiguous') return refuse(request, 'payment_ambiguous', RPC.invalidParams, TWO_PAYMENTS);
    const exchange = new McpExchange(request);
    const server = createServer(this.deps.installation.baseUrl, this.list, (name, args) =>
      this.call(name, args, payment, exchange),
    );
    return exchange.finish(await serveMessage(server, request));
  }

  /** The error response to a request that is not a valid message. */
  private refused(request: McpRequest): McpAnswer | undefined {
    const { headers, body } = request;
    if (!this.guard.admits(headers.host, headers.origin)) return refuse(request, 'forbidden_host', RPC.refused);
    if (!isJsonContentType(headers['content-type'])) return refuse(request, 'unsupported_media_type', RPC.refused);
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      const sentence = 'Send one JSON-RPC message; batches are not supported.';
      return refuse(request, 'invalid_request', RPC.invalidRequest, sentence);
    }
    if ('method' in body && body.method === 'subscriptions/listen') {
      return refuse(request, 'method_not_found', RPC.methodNotFound, 'Method not found');
    }
    return undefined;
  }

  private async call(
    name: string,
    args: ToolArguments,
    payload: PayloadReading | undefined,
    exchange: McpExchange,
  ): Promise<CallToolResult> {
    const { request } = exchange;
    let response: ErrorResponse;
    try {
      const answer = await this.serve(this.find(name), args, payload, exchange);
      if (isSale(answer)) return exchange.served(answer);
      response = challengeResponse(answer, request);
    } catch (error) {
      const known = errorResponse(error);
      if (!known) exchange.failed(error);
      response = withRequestId(known, request.id);
    }
    return exchange.refused(response);
  }

  private find(name: string): Tool {
    const tool = this.tools.find((candidate) => candidate.name === name);
    if (tool) return tool;
    const allowed = this.tools.map((known) => known.name);
    throw new RequestError('unknown_tool', `Tool ${name.slice(0, 100)} not found`, { allowed });
  }

  /** @throws like the route of the same product */
  private async serve(
    tool: Tool,
    args: ToolArguments,
    payload: PayloadReading | undefined,
    exchange: McpExchange,
  ): Promise<Answer> {
    const { ip, headers } = exchange.request;
    const credentialFor = (host: HostName): Promise<Credential | undefined> => this.credentialFor(host, headers);
    if (isPaid(tool)) {
      return this.deps.sales.sell(tool, productArguments(tool, args), { ip, payload, credentialFor }, exchange);
    }
    const waitMs = preferredWaitMs(headers.prefer?.toString());
    const ofHost = async (host: HostName): Promise<Credential | undefined> => {
      const credential = await credentialFor(host);
      return credential?.kind === 'foreign' ? undefined : credential;
    };
    const content = await tool.run(args, this.deps.free, { ip, credentialFor: ofHost, waitMs });
    return this.deps.statements.stated({ ...content, replayed: false, x402Version: 2 });
  }

  /**
   * MCP clients send the same headers with every call, whatever its host. A key for another origin is therefore ignored
   * here, whereas a route would answer 401.
   */
  private async credentialFor(host: HostName, headers: McpRequest['headers']): Promise<Credential | undefined> {
    const credential = credentialOf(headers);
    return credential && this.deps.subscribers.concerning(host, credential);
  }
}

function refuse({ body, id }: McpRequest, code: ErrorCode, rpcCode: number, sentence?: string): McpAnswer {
  const response = withRequestId(responseOf(code, sentence), id);
  return {
    status: response.status,
    headers: { 'cache-control': 'no-store' },
    body: JSON.stringify(rpcError(idOf(body), response, rpcCode)),
  };
}

const TWO_PAYMENTS = `The payment header and _meta["${PAYMENT_META}"] contain different payments. Send one of them.`;

/**
 * Protects a gateway on a user's machine against web pages that reach it through a DNS name pointed at it (DNS
 * rebinding): it only answers to names of this machine. A gateway with a public name is open to every page anyway, and
 * behind a proxy its Host header may be anything.
 */
class RebindingGuard {
  private readonly allowed: string[] | undefined;

  constructor(baseUrl: string) {
    const local = localhostAllowedHostnames();
    const { hostname } = new URL(baseUrl);
    this.allowed = local.includes(hostname) ? local : undefined;
  }

  admits(host: string | undefined, origin: string | undefined): boolean {
    if (!this.allowed) return true;
    return validateHostHeader(host, this.allowed).ok && validateOriginHeader(origin, this.allowed).ok;
  }
}
