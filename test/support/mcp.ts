import type { Service } from './service';

type Members = Readonly<Record<string, unknown>>;

/** The fields of a `tools/call` result that tests check. */
interface ToolResult {
  readonly content: readonly { readonly type: string; readonly text: string }[];
  readonly structuredContent: Members;
  readonly isError?: boolean;
  readonly _meta?: Members;
}

export interface RpcReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Members & {
    readonly result?: ToolResult;
    readonly error?: { readonly code: number; readonly message: string; readonly data?: Members };
  };
}

/** The header that identifies an MCP client. */
export const NATIVE = { 'mcp-protocol-version': '2025-11-25' } as const;

export function mcpUrl(service: Pick<Service, 'baseUrl'>): string {
  return `${service.baseUrl}/api/v1/mcp`;
}

/** Sends one JSON-RPC message by POST in the simplest way: without handshake and Accept header. */
export function post(
  service: Pick<Service, 'baseUrl'>,
  message: unknown,
  headers: Readonly<Record<string, string>> = {},
  via: typeof fetch = fetch,
): Promise<Response> {
  return via(mcpUrl(service), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(message),
  });
}

export const callMessage = (name: string, args: Members, meta?: Members): Members => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args, ...(meta ? { _meta: meta } : {}) },
});

/** Calls a tool over plain JSON-RPC. */
export async function callTool(
  service: Pick<Service, 'baseUrl'>,
  name: string,
  args: Members,
  { headers = {}, meta }: { headers?: Readonly<Record<string, string>>; meta?: Members } = {},
): Promise<RpcReply> {
  const response = await post(service, callMessage(name, args, meta), headers);
  return { status: response.status, headers: response.headers, body: (await response.json()) as RpcReply['body'] };
}

/** A payment header as the object in `_meta["x402/payment"]`. */
export function asMeta(header: string): Members {
  return { 'x402/payment': JSON.parse(Buffer.from(header, 'base64').toString('utf8')) as unknown };
}
