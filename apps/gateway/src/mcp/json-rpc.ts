import { isMcpPath } from '../http/paths';
import type { ErrorForm } from '../http/error.filter';
import type { ErrorResponse } from '../http/error-response';

export type RpcId = string | number | null;

/** Codes of https://www.jsonrpc.org/specification, and the one MCP's own SDK has for faults of the transport. */
export const RPC = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  refused: -32000,
} as const;

/** The id to answer with: of a single request whose id is readable, otherwise null. */
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

/** An error as JSON-RPC: its sentence is the message, the other members of its body (`code`, `retryAfterSec`, ...) the data. */
export function rpcError(id: RpcId, { status, body }: ErrorResponse, code = codeOf(status)): RpcErrorBody {
  const { error, ...data } = body;
  return { jsonrpc: '2.0', id, error: { code, message: String(error), data } };
}

/** Of errors that were found before a message was read, or that are faults of the service. */
function codeOf(status: number): number {
  if (status === 400) return RPC.parseError;
  return status === 500 ? RPC.internalError : RPC.refused;
}

/** Errors that are found before the endpoint has a message, as its callers read them. */
export const RPC_ERRORS: ErrorForm = {
  wants: ({ url }) => isMcpPath(url),
  send: (response, { body }, reply) => {
    void reply.type('application/json; charset=utf-8').send(JSON.stringify(rpcError(idOf(body), response)));
  },
};
