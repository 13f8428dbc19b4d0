import { z } from 'zod';
import { json, METHOD_NOT_ALLOWED, type DemoAnswer, type DemoRequest } from './demo-site';

const MCP_VERSIONS = ['2026-07-28', '2025-11-25'];
const SERVER = { name: 'full-store', title: 'Full Store', version: '1.0.0' };

/** JSON-RPC 2.0 error codes; the first is A2A's own "task not found". */
const TASK_NOT_FOUND = -32_001;
const METHOD_NOT_FOUND = -32_601;
const PARSE_ERROR = -32_700;

/** Answers the MCP and A2A endpoints of the demo store; undefined for any other path. */
export function answerRpc(request: DemoRequest): DemoAnswer | undefined {
  const endpoint = { '/mcp': mcpResult, '/a2a': a2aResult }[request.path];
  if (!endpoint) return undefined;
  if (request.method !== 'POST') return METHOD_NOT_ALLOWED;
  const call = parseCall(request.body);
  if (!call) return json({ jsonrpc: '2.0', id: null, error: { code: PARSE_ERROR, message: 'Parse error' } }, {}, 400);
  return json({ jsonrpc: '2.0', id: call.id ?? null, ...endpoint(call.method) });
}

/** Supports only the handshake, in both generations of the protocol: https://modelcontextprotocol.io/specification/. */
function mcpResult(method: string): object {
  const capabilities = { tools: {} };
  if (method === 'server/discover') {
    return { result: { supportedVersions: MCP_VERSIONS, capabilities, serverInfo: SERVER } };
  }
  if (method === 'initialize') {
    return { result: { protocolVersion: '2025-11-25', capabilities, serverInfo: SERVER } };
  }
  return { error: { code: METHOD_NOT_FOUND, message: 'Method not found' } };
}

/**
 * Answers that the task does not exist, in both generations of the protocol:
 * https://a2a-protocol.org/latest/specification/.
 */
function a2aResult(method: string): object {
  return method === 'GetTask' || method === 'tasks/get'
    ? { error: { code: TASK_NOT_FOUND, message: 'Task not found' } }
    : { error: { code: METHOD_NOT_FOUND, message: 'Method not found' } };
}

const Call = z.object({ id: z.unknown().optional(), method: z.string() });

function parseCall(body: string): z.infer<typeof Call> | undefined {
  try {
    return Call.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}
