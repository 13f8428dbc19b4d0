import { isMcpPath } from '../http/paths';
import type { ErrorForm } from '../http/error.filter';
import type { ErrorResponse } from '../http/error-response';

export type RpcId = string | number | null;

/** Error codes of https://www.jsonrpc.org/specification, and the MCP SDK's code for transport errors. */
export const RPC = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  refused: -32000,
} as const;

/** The id for the answer: that of a single request if it can be read, otherwise null. */
export function idOf(body: unknown): RpcId {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return null;
  const { id } = body as { readonly id?: unknown };
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

export interface RpcErrorBody {
  readonly jsonrpc: '2.0';
  readonly id: RpcId;
  readonly error: { readonly code: number; readonly message: string; readonly data: Readonly<Record<string, unknown>> };
}

/**
 * An error as JSON-RPC: the sentence becomes `message`, the other fields of the body (`code`, `retryAfterSec`, ...)
 * become `data`.
 */
export function rpcError(id: RpcId, { status, body }: ErrorResponse, code = codeOf(status)): RpcErrorBody {
  const { error, ...data } = body;
  return { jsonrpc: '2.0', id, error: { code, message: String(error), data } };
}

/** The code for errors found before the message was read, and for errors of the service. */
function codeOf(status: number): number {
  if (status === 400) return RPC.parseError;
  return status === 500 ? RPC.internalError : RPC.refused;
}

/** JSON-RPC form of the errors that occur before the endpoint gets a message. */
export const RPC_ERRORS: ErrorForm = {
  wants: ({ url }) => isMcpPath(url),
  send: (response, { body }, reply) => {
    void reply.type('application/json; charset=utf-8').send(JSON.stringify(rpcError(idOf(body), response)));
  },
};
