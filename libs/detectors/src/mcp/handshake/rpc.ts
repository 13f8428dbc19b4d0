import { header, mediaType, type Answer, type Exchange } from '../../evidence/exchange';
import { isObject, member, readJson, text, type JsonObject, type JsonValue } from '../../formats/json';
import { withLineFeeds } from '../../formats/line-ends';

/** How many events of a stream are read; the first one with data is the answer. */
const MAX_EVENTS = 20;

/** The JSON-RPC 2.0 message of an answer, as JSON or as the first message of an event stream. */
export function rpcMessage(answer: Answer): JsonObject | undefined {
  const json = readJson(answer.body);
  if (json.ok) return asMessage(json.value);
  if (!isEventStream(answer)) return undefined;
  const events = withLineFeeds(answer.body.slice(0, 65_536)).split('\n\n', MAX_EVENTS);
  for (const event of events) {
    const lines = event.split('\n').filter((line) => line.startsWith('data:'));
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

/** In the HTTP+SSE transport of 2024-11-05, the first event contains the URL for POST requests. */
export function announcesPostEndpoint(answer: Answer): boolean {
  return isEventStream(answer) && /^event: ?endpoint\s*$/m.test(answer.body.slice(0, 4_096));
}

/** Numeric `error.code` of a message. */
export function errorCode(message: JsonObject): number | undefined {
  const code = member(message['error'], 'code');
  return typeof code === 'number' ? code : undefined;
}

/**
 * Whether a message rejects a caller without a profile, as UCP-over-MCP servers do. They have tools and need no
 * handshake; the error alone does not make it a lifecycle server.
 */
export function isUcpError(message: JsonObject): boolean {
  const { error } = message;
  const said = [member(error, 'message'), member(member(error, 'data'), 'code')].map((value) => text(value) ?? '');
  return (
    errorCode(message) === -32_001 && /\bUCP\b|\bprofile_|_profile\b|_profile_/i.test(said.join(' ').slice(0, 500))
  );
}

/** An error answer with the location of its OAuth metadata (RFC 9728): missing token or insufficient scope. */
export function namesResourceMetadata(answer: Answer): boolean {
  const challenge = header(answer, 'www-authenticate') ?? '';
  const refused = answer.status === 401 || (answer.status === 403 && /\binsufficient_scope\b/i.test(challenge));
  return refused && /\bresource_metadata\s*=/i.test(challenge);
}

/** Versions in an error answer to a newer one, as JSON-RPC or plain text, newest first. */
export function versionsNamed(exchange: Exchange | undefined): readonly string[] {
  if (exchange?.kind !== 'answer' || exchange.status < 400) return [];
  const [, named = ''] = /unsupported protocol version(.{0,1000})/is.exec(exchange.body.slice(0, 4_096)) ?? [];
  const from = named.search(/supported/i);
  const listed = from < 0 ? '' : named.slice(from).split(':').slice(1).join(':');
  return protocolVersions(listed.match(/\b\d{4}-\d{2}-\d{2}\b/g) ?? []);
}

/** The distinct release dates among the values (`2025-11-25`), newest first. */
export function protocolVersions(values: readonly (JsonValue | undefined)[]): readonly string[] {
  const dates = values.filter((value) => typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value)) as string[];
  return [...new Set(dates)].sort().reverse().slice(0, 20);
}
