import { PRIVATE } from '../http/published';
import { ProtocolError, type CallToolResult } from '@modelcontextprotocol/server';
import { QUOTED, UNTRUSTED_META } from '@app/reports';
import type { FastifyRequest } from 'fastify';
import type { ErrorResponse } from '../http/error-response';
import { receiptOf, saleHeaders } from '../checkout/sale-response';
import type { Sale } from '../checkout/release';
import { idOf, RPC } from './json-rpc';
import { metaOf, PAYMENT_META, RECEIPT_META } from './payment-source';

/** The parts of a request that the endpoint uses. */
export type McpRequest = Pick<FastifyRequest, 'headers' | 'body' | 'query' | 'ip' | 'id'>;

/** An answer of the endpoint: JSON text, or no body if there is nothing to answer. */
export interface McpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The `_meta` key of the signed statement about the host of a result. */
const STATEMENT_META = 'hostprobe/statement';

/** Matches the JSON list of faults in an SDK error message. */
const VALIDATOR_TEXT = /\[\s*\{/;

type Members = Readonly<Record<string, unknown>>;

/**
 * One HTTP exchange with one JSON-RPC message. An MCP client gets every outcome as a result or a JSON-RPC error with
 * HTTP 200, because its SDK treats other statuses as a broken transport. A plain client gets the statuses of the REST
 * routes, and challenges where x402 clients expect them (behaviour 11.4).
 */
export class McpExchange {
  /** Whether this is an MCP client. */
  private readonly native: boolean;
  private readonly headers: Record<string, string> = { ...PRIVATE };
  private status: number | undefined;
  /** Whether the error message is one of ours. */
  private isOwn = false;
  private challenge: Members | undefined;
  /** The body of the sale that is sent as the answer. */
  private sold: string | undefined;
  private bug: { readonly error: unknown } | undefined;

  constructor(readonly request: McpRequest) {
    const { headers, body } = request;
    this.native =
      headers['mcp-protocol-version'] !== undefined ||
      headers['mcp-session-id'] !== undefined ||
      metaOf(body)[PAYMENT_META] !== undefined;
  }

  header(name: string, value: string): void {
    this.headers[name] = value;
  }

  /** The result of a successful call. */
  served(sale: Sale): CallToolResult {
    Object.assign(this.headers, saleHeaders(sale));
    this.sold = sale.body;
    const receipt = sale.settlement && receiptOf({ success: true, ...sale.settlement });
    return {
      content: [{ type: 'text', text: sale.body }, QUOTED],
      structuredContent: {}, // replaced in `finish`, because the SDK does not accept text
      _meta: {
        [UNTRUSTED_META]: true,
        ...(receipt ? { [RECEIPT_META]: receipt } : {}),
        ...(sale.statement === undefined ? {} : { [STATEMENT_META]: sale.statement }),
      },
    };
  }

  /**
   * The result of a failed call. Invalid arguments are reported as a result to every client, so that a model can read
   * and correct them (SEP-1303).
   * @throws {ProtocolError} for an unknown tool, and for all other errors of a plain client
   */
  refused({ status, body, headers }: ErrorResponse): CallToolResult {
    Object.assign(this.headers, headers);
    const { error, ...data } = body;
    if (data['code'] === 'unknown_tool') throw this.ownError(new ProtocolError(RPC.invalidParams, String(error), data));
    if (!this.native && status !== 400) {
      this.status = status;
      if (status === 402) this.challenge = body;
      throw this.ownError(new ProtocolError(RPC.refused, String(error), data));
    }
    return { content: [{ type: 'text', text: JSON.stringify(body) }], structuredContent: body, isError: true };
  }

  /**
   * Reports an unexpected error to the client; it is rethrown later, where errors are logged. @throws {ProtocolError}
   */
  failed(error: unknown): never {
    this.bug = { error };
    throw this.ownError(new ProtocolError(RPC.internalError, 'Internal error.'));
  }

  /** Converts the SDK's response into our answer. @throws the error given to {@link failed} */
  async finish(response: Response): Promise<McpAnswer> {
    if (this.bug) throw this.bug.error;
    const { challenge, headers, sold } = this;
    const text = await response.text();
    if (text === '') return { status: response.status, headers };
    const shown = (): string => `"structuredContent":${sold}`;
    if (sold) return { status: response.status, headers, body: text.replace('"structuredContent":{}', shown) };
    const body: unknown = challenge
      ? { jsonrpc: '2.0', id: idOf(this.request.body), ...challenge }
      : this.withReadableError(JSON.parse(text) as Members);
    return { status: this.status ?? this.statusOf(response.status, body), headers, body: JSON.stringify(body) };
  }

  private ownError(error: ProtocolError): ProtocolError {
    this.isOwn = true;
    return error;
  }

  /** If the SDK cannot read a message, it answers with the raw output of its validator, under two codes. */
  private withReadableError(body: Members): Members {
    const { error } = body as { readonly error?: { readonly code: number; readonly message: string } & Members };
    if (!error || this.isOwn) return body;
    const { id: requestId } = this.request;
    if (!VALIDATOR_TEXT.test(error.message))
      return { ...body, error: { ...error, data: { ...(error['data'] as object | undefined), requestId } } };
    const message = 'The params of this message are not valid for MCP.';
    return { ...body, error: { code: RPC.invalidParams, message, data: { code: 'invalid_request', requestId } } };
  }

  private statusOf(status: number, body: unknown): number {
    const { error } = body as { readonly error?: { readonly code?: unknown } };
    return !this.native && status === 200 && error?.code === RPC.invalidParams ? 400 : status;
  }
}
