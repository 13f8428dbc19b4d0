import { ProtocolError, type CallToolResult } from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import type { RenderedError } from '../http/rendered-error';
import { receiptOf } from '../http/receipt-headers';
import { saleHeaders } from '../http/sale-response';
import type { Sale } from '../paywall/release';
import { idOf, RPC } from './json-rpc';
import { metaOf, PAYMENT_META, RECEIPT_META } from './payment-source';

/** A request to the endpoint, as much of it as matters. */
export type McpRequest = Pick<FastifyRequest, 'headers' | 'body' | 'query' | 'ip' | 'id'>;

/** An answer of the endpoint; without a body when there is nothing to say. */
export interface McpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

type Members = Readonly<Record<string, unknown>>;

/**
 * One HTTP exchange around one JSON-RPC message. A client that speaks MCP hears everything as a result or a JSON-RPC
 * error on HTTP 200, since its SDK takes other statuses for a broken transport; a plain client gets the statuses of the
 * REST routes, and a challenge where x402 clients look for it (contract 6).
 */
export class McpExchange {
  /** Whether the client speaks MCP. */
  private readonly native: boolean;
  private readonly headers: Record<string, string> = { 'cache-control': 'private, no-store' };
  private status: number | undefined;
  private challenge: Members | undefined;
  private bug: { readonly error: unknown } | undefined;

  constructor(private readonly request: McpRequest) {
    const { headers, body } = request;
    this.native =
      headers['mcp-protocol-version'] !== undefined ||
      headers['mcp-session-id'] !== undefined ||
      metaOf(body)[PAYMENT_META] !== undefined;
  }

  header(name: string, value: string): void {
    this.headers[name] = value;
  }

  /** The result of a call that was served. */
  served(sale: Sale): CallToolResult {
    Object.assign(this.headers, saleHeaders(sale));
    const receipt = sale.settlement && receiptOf({ success: true, ...sale.settlement });
    return {
      content: [{ type: 'text', text: sale.body }],
      structuredContent: JSON.parse(sale.body) as Members,
      ...(receipt ? { _meta: { [RECEIPT_META]: receipt } } : {}),
    };
  }

  /**
   * The result of a call that was refused.
   * @throws {ProtocolError} where the refusal is no result: arguments that do not read, and any fault for a plain client
   */
  refused({ status, body, headers }: RenderedError): CallToolResult {
    Object.assign(this.headers, headers);
    const { error, ...data } = body;
    if (status === 400) throw new ProtocolError(RPC.invalidParams, String(error), data);
    if (!this.native) {
      this.status = status;
      if (status === 402) this.challenge = body;
      throw new ProtocolError(RPC.refused, String(error), data);
    }
    return { content: [{ type: 'text', text: JSON.stringify(body) }], structuredContent: body, isError: true };
  }

  /** A fault nobody foresaw: told as one, and thrown where errors are logged. @throws {ProtocolError} */
  failed(error: unknown): never {
    this.bug = { error };
    throw new ProtocolError(RPC.internalError, 'internal error');
  }

  /** Turns what the SDK answered into what is sent. @throws the error of {@link failed} */
  async finish(response: Response): Promise<McpAnswer> {
    if (this.bug) throw this.bug.error;
    const text = await response.text();
    if (text === '') return { status: response.status, headers: this.headers };
    const body: unknown = this.challenge
      ? { jsonrpc: '2.0', id: idOf(this.request.body), ...this.challenge }
      : JSON.parse(text);
    return { status: this.status ?? this.statusOf(response.status, body), headers: this.headers, body };
  }

  private statusOf(status: number, body: unknown): number {
    const { error } = body as { readonly error?: { readonly code?: unknown } };
    return !this.native && status === 200 && error?.code === RPC.invalidParams ? 400 : status;
  }
}
