import { defined } from '@app/objects';
import { MAX_URL } from '../documents/declared-url';
import { isObject, list, member, text, type JsonObject, type JsonValue } from '../formats/json';
import { readTransport, transportRank, type Transport } from './transport';

/** A place where a document says its server is, as written. */
export interface NamedEndpoint {
  /** Perhaps relative to the document, perhaps a template with `{variables}`. */
  readonly url: string;
  readonly transport?: Transport;
  readonly name?: string;
  /** A server card that describes this server further. */
  readonly card?: string;
}

/** Endpoints kept of one document; the busiest real list names a handful, and each costs several probes its URL. */
const MAX_ENDPOINTS = 20;

/** Entries of a list or a map that are read. */
const MAX_LISTED = 200;

/** The items of a list that are read; none of anything else. */
export function listed(value: JsonValue | undefined): readonly JsonValue[] {
  return (list(value) ?? []).slice(0, MAX_LISTED);
}

/** Members that hold an endpoint and nothing else, of a document or of a server in a list. */
const FLAT = ['endpoint', 'serverUrl', 'server_url', 'mcp_url', 'mcp_endpoint', 'mcpEndpoint', 'mcpUrl'] as const;

/** Members of a listed server that link its card. */
const CARD_MEMBERS = [
  'card',
  'card_url',
  'cardUrl',
  'server_card',
  'serverCard',
  'server_card_url',
  'serverCardUrl',
] as const;

/**
 * The endpoints a server document names, best transport first and otherwise in document order, the first 20. Servers of
 * A2A cards, client configuration examples, documentation and tools are never read.
 */
export function namedEndpoints(document: JsonObject): readonly NamedEndpoint[] {
  const all = [
    ...remotes(document),
    ...transportObject(document),
    ...flat(document),
    ...transportMap(document['transports']),
    ...endpointsMember(document['endpoints']),
    ...servers(document['servers']),
    ...clientConfig(document['mcpServers']),
  ];
  const reachable = all.filter(({ transport }) => transport !== 'stdio' && transport !== 'none');
  return reachable.sort((a, b) => transportRank(a.transport) - transportRank(b.transport)).slice(0, MAX_ENDPOINTS);
}

/** SEP-2127 cards and registry `server.json`: `remotes[]` with `type`, `url` and default values of its variables. */
function remotes(document: JsonObject): readonly NamedEndpoint[] {
  return listed(document['remotes']).flatMap((remote) => {
    const url = text(member(remote, 'url'));
    const filled = url?.slice(0, MAX_URL).replace(/\{([^{}]{1,100})\}/g, (template, name: string) => {
      return text(member(member(member(remote, 'variables'), name), 'default')) ?? template;
    });
    return named(filled, text(member(remote, 'type')));
  });
}

/** SEP-1649 cards: `transport: { type, endpoint }`. */
function transportObject(document: JsonObject): readonly NamedEndpoint[] {
  const transport = document['transport'];
  const url = text(member(transport, 'endpoint')) ?? text(member(transport, 'url'));
  return named(url, text(member(transport, 'type')));
}

function flat(document: JsonObject): readonly NamedEndpoint[] {
  const stated = text(document['transport']) ?? text(document['type']);
  const own = FLAT.flatMap((key) => named(text(document[key]), stated));
  return [...own, ...(urlIsEndpoint(document) ? named(text(document['url']), stated) : [])];
}

/** A bare `url` is often the site's own address; it counts when the document speaks of a server. */
function urlIsEndpoint(document: JsonObject): boolean {
  const signs = ['tools', 'capabilities', 'mcpServers', 'protocolVersion', 'mcpVersion', 'mcp_version'];
  const transport = readTransport(text(document['transport']) ?? text(document['type']));
  const spoken = signs.some((sign) => Object.hasOwn(document, sign));
  return transport !== undefined || spoken || /\b(?:mcp|sse)\b/i.test((text(document['url']) ?? '').slice(0, MAX_URL));
}

/** `transports: { streamable_http: { url }, sse: { url }, stdio: {} }`, or a list of `{ type, url }`. */
function transportMap(transports: JsonValue | undefined): readonly NamedEndpoint[] {
  if (!isObject(transports)) return typedList(transports);
  return Object.entries(transports)
    .slice(0, MAX_LISTED)
    .flatMap(([kind, value]) => (readTransport(kind) === undefined ? [] : named(urlOf(value), kind)));
}

/** SEP-1960 `endpoints: { streamable_http, sse }`, or a list of `{ type, url }`. An API's own endpoints are not MCP. */
function endpointsMember(endpoints: JsonValue | undefined): readonly NamedEndpoint[] {
  if (!isObject(endpoints)) return typedList(endpoints);
  return Object.entries(endpoints)
    .slice(0, MAX_LISTED)
    .flatMap(([kind, value]) => {
      if (readTransport(kind) !== undefined) return named(urlOf(value), kind);
      return /mcp/i.test(kind.slice(0, 100)) ? named(urlOf(value), text(member(value, 'transport'))) : [];
    });
}

function typedList(value: JsonValue | undefined): readonly NamedEndpoint[] {
  return listed(value).flatMap((item) =>
    named(urlOf(item), text(member(item, 'type')) ?? text(member(item, 'transport'))),
  );
}

function servers(value: JsonValue | undefined): readonly NamedEndpoint[] {
  return listed(value).flatMap((server) => {
    const transport = text(member(server, 'transport')) ?? text(member(member(server, 'transport'), 'type'));
    const further = { name: text(member(server, 'name')), card: textIn(server, CARD_MEMBERS) };
    const url = text(server) ?? textIn(server, FLAT) ?? text(member(server, 'url'));
    return named(url, transport ?? text(member(server, 'type')), further);
  });
}

/** The configuration file of a client: `mcpServers: { name: { url } }`. */
function clientConfig(value: JsonValue | undefined): readonly NamedEndpoint[] {
  if (!isObject(value)) return [];
  return Object.entries(value)
    .slice(0, MAX_LISTED)
    .flatMap(([name, server]) =>
      named(urlOf(server), text(member(server, 'transport')) ?? text(member(server, 'type')), { name }),
    );
}

/** The first of the members that is a text. */
function textIn(holder: JsonValue, names: readonly string[]): string | undefined {
  return names.map((name) => text(member(holder, name))).find((value) => value !== undefined);
}

function urlOf(value: JsonValue | undefined): string | undefined {
  return text(value) ?? text(member(value, 'url')) ?? text(member(value, 'endpoint'));
}

function named(
  url: string | undefined,
  stated: string | undefined,
  { name, card }: { readonly name?: string | undefined; readonly card?: string | undefined } = {},
): readonly NamedEndpoint[] {
  if (url === undefined || url.length > MAX_URL) return [];
  return [defined({ url: url.trim(), transport: readTransport(stated), name, card })];
}
