import { isObject, list, member, text, type JsonValue } from '../formats/json';

/**
 * The kind of document that an entry of an ARD manifest claims to link. `oauth` means metadata of a protected resource,
 * which may be an MCP server.
 */
export type ArdKind = 'mcp' | 'a2a' | 'openapi' | 'oauth' | 'llms' | 'manifest' | 'other';

const TYPES: Readonly<Record<string, ArdKind>> = {
  'application/mcp-server-card+json': 'mcp',
  'application/mcp-server+json': 'mcp',
  'application/a2a-agent-card+json': 'a2a',
  'application/vnd.oai.openapi+json': 'openapi',
  'application/vnd.oai.openapi': 'openapi',
  'application/openapi+json': 'openapi',
  'application/vnd.oai.openapi+yaml': 'openapi',
  'application/openapi+yaml': 'openapi',
  'application/ai-catalog+json': 'manifest',
};

/** The media type of an entry in lower case, without parameters; the field was called `mediaType` until July 2026. */
export function typeOf(entry: JsonValue): string | undefined {
  const stated = text(member(entry, 'type')) ?? text(member(entry, 'mediaType'));
  return stated?.slice(0, 200).split(';', 1)[0]?.trim().toLowerCase();
}

/** The detector that an entry is for, by its type, then by its tags and its URL. */
export function ardKind(entry: JsonValue, url: string | undefined): ArdKind {
  const type = typeOf(entry) ?? '';
  const path = url === undefined ? '' : new URL(url).pathname;
  if (Object.hasOwn(TYPES, type)) return TYPES[type] ?? 'other';
  if (type === 'application/json' && isTagged(entry)) return 'openapi';
  if (path.includes('/.well-known/oauth-protected-resource')) return 'oauth';
  if ((type === 'text/plain' || type === 'text/markdown') && path.endsWith('/llms.txt')) return 'llms';
  const data = member(entry, 'data');
  return isObject(data) && list(data['entries']) ? 'manifest' : 'other';
}

function isTagged(entry: JsonValue): boolean {
  return (list(member(entry, 'tags')) ?? []).some((tag) => /^(?:openapi|swagger)$/i.test(text(tag) ?? ''));
}
