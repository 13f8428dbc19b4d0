import { header, mediaType, type Answer } from '../exchange';
import { isObject, member, readJson, type JsonObject } from '../json';

/** Events of a stream looked at; the answer to one request is the first that carries data. */
const MAX_EVENTS = 20;

/** The JSON-RPC 2.0 message an answer carries, as JSON or as the first message of an event stream. */
export function rpcMessage(answer: Answer): JsonObject | undefined {
  const json = readJson(answer.body);
  if (json.ok) return asMessage(json.value);
  if (!isEventStream(answer)) return undefined;
  const events = answer.body.slice(0, 65_536).split(/\r?\n\r?\n/, MAX_EVENTS);
  for (const event of events) {
    const lines = event.split(/\r?\n/).filter((line) => line.startsWith('data:'));
    const data = readJson(lines.map((line) => line.slice(5).replace(/^ /, '')).join('\n'));
    const message = data.ok ? asMessage(data.value) : undefined;
    if (message) return message;
  }
  return undefined;
}

function asMessage(value: unknown): JsonObject | undefined {
  const message = value as JsonObject;
  return isObject(message) && message['jsonrpc'] === '2.0' ? message : undefined;
}

/** Whether the answer is a stream of server-sent events, by its type or by its first line. */
export function isEventStream(answer: Answer): boolean {
  return mediaType(answer) === 'text/event-stream' || /^\uFEFF?(?:event|data|id|retry):/.test(answer.body);
}

/** The first event of the HTTP+SSE transport of 2024-11-05 names where to post. */
export function announcesPostEndpoint(answer: Answer): boolean {
  return isEventStream(answer) && /^event: ?endpoint\s*$/m.test(answer.body.slice(0, 4_096));
}

/** Numeric `error.code` of a message. */
export function errorCode(message: JsonObject): number | undefined {
  const code = member(message['error'], 'code');
  return typeof code === 'number' ? code : undefined;
}

/** A 401 that says where its OAuth metadata is (RFC 9728), which MCP requires of protected servers. */
export function namesResourceMetadata(answer: Answer): boolean {
  return answer.status === 401 && /\bresource_metadata\s*=/i.test(header(answer, 'www-authenticate') ?? '');
}
