import { isJsonContentType, type CallToolResult } from '@modelcontextprotocol/server';
import type { ProofReading } from '@app/payments';
import type { HostName } from '@app/reports';
import { renderError } from '../http/rendered-error';
import { RequestError } from '../http/request-error';
import { preferredWaitMs } from '../probes/free-presence';
import { credentialOf, type Credential } from '../subscriptions/credential';
import type { Subscribers } from '../subscriptions/subscribers';
import { McpExchange, type McpAnswer, type McpRequest } from './exchange';
import { idOf, RPC, rpcError } from './json-rpc';
import { createServer, serveMessage } from './mcp-server';
import { callPayment, PAYMENT_META } from './payment-source';
import { RebindingGuard } from './rebinding';
import { listed, type ListedTool, type Tool, type ToolArguments } from './tool';
import type { ToolDesk } from './tool-desk';
import { TOOLS } from './tools';

/** Endpoint 6 (spec 4.6, contract 6): tools over stateless Streamable HTTP with JSON answers, or over plain JSON-RPC. */
export class McpEndpoint {
  private readonly guard: RebindingGuard;
  private readonly list: readonly ListedTool[];

  constructor(
    private readonly desk: ToolDesk,
    private readonly subscribers: Pick<Subscribers, 'concerning'>,
    private readonly baseUrl: string,
    private readonly tools: readonly Tool[] = TOOLS,
  ) {
    this.guard = new RebindingGuard(baseUrl);
    this.list = tools.map(listed);
  }

  /** @throws what is our fault */
  async answer(request: McpRequest): Promise<McpAnswer> {
    const refusal = this.refusalOf(request);
    if (refusal) return refusal;
    const payment = callPayment(request.headers, request.body);
    if (payment === 'ambiguous') return refuse(request, 400, RPC.invalidParams, 'payment_ambiguous', TWO_PAYMENTS);
    const exchange = new McpExchange(request);
    const server = createServer(this.baseUrl, this.list, (name, args) =>
      this.call(name, args, payment, request, exchange),
    );
    return exchange.finish(await serveMessage(server, request));
  }

  /** What is refused before it is taken for a message. */
  private refusalOf(request: McpRequest): McpAnswer | undefined {
    const { headers, body } = request;
    if (!this.guard.admits(headers.host, headers.origin)) {
      const sentence = 'this service answers to names of its own machine only';
      return refuse(request, 403, RPC.refused, 'forbidden_host', sentence);
    }
    if (!isJsonContentType(headers['content-type'])) {
      return refuse(request, 415, RPC.refused, 'unsupported_media_type', 'send application/json');
    }
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      const sentence = 'send one JSON-RPC message; batches are not taken';
      return refuse(request, 400, RPC.invalidRequest, 'invalid_request', sentence);
    }
    if ('method' in body && body.method === 'subscriptions/listen') {
      return refuse(request, 404, RPC.methodNotFound, 'method_not_found', 'nothing here can be subscribed to');
    }
    return undefined;
  }

  private async call(
    name: string,
    args: ToolArguments,
    proof: ProofReading | undefined,
    request: McpRequest,
    exchange: McpExchange,
  ): Promise<CallToolResult> {
    try {
      const tool = this.tools.find((candidate) => candidate.name === name);
      if (!tool) {
        const allowed = this.tools.map((known) => known.name);
        throw new RequestError(400, 'unknown_tool', `there is no tool ${name.slice(0, 100)}`, { allowed });
      }
      const asking = {
        ip: request.ip,
        waitMs: preferredWaitMs(request.headers['prefer']?.toString()),
        credentialFor: (host: HostName) => this.credentialFor(host, request),
      };
      return exchange.served(await this.desk.serve({ tool, args, proof, asking, headers: exchange }));
    } catch (error) {
      const known = renderError(error, request);
      return known ? exchange.refused(known) : exchange.failed(error);
    }
  }

  /**
   * MCP clients send their headers with every call, whichever host it is about: a caller with a key of another origin is
   * one of the public here, where the routes would refuse it.
   */
  private async credentialFor(host: HostName, { headers }: McpRequest): Promise<Credential | undefined> {
    const credential = credentialOf(headers);
    return credential && this.subscribers.concerning(host, credential);
  }
}

function refuse({ body }: McpRequest, status: number, rpcCode: number, code: string, error: string): McpAnswer {
  return {
    status,
    headers: { 'cache-control': 'no-store' },
    body: rpcError(idOf(body), { status, body: { error, code } }, rpcCode),
  };
}

const TWO_PAYMENTS = `the payment header and _meta["${PAYMENT_META}"] hold different payments; send one of them`;
