import { defined } from '@app/platform';
import { MAX_URL } from '../documents/declared-url';
import { isObject, list, member, text, type JsonObject, type JsonValue } from '../formats/json';
import { readTransport, transportRank, type Transport } from './handshake/transport';

/** A server location in a document, as written. */
export interface NamedEndpoint {
  /** May be relative to the document, or a template with `{variables}`. */
  readonly url: string;
  readonly transport?: Transport;
  readonly name?: string;
  /** A server card with more data about this server. */
  readonly card?: string;
  /**
   * Nothing in its context says that the server is remote or how it is reached, so on another site it may be anything.
   */
  readonly ownSiteOnly?: true;
}

/** How many endpoints of one document are kept; real lists have a few, and each costs URLs in several probes. */
const MAX_ENDPOINTS = 20;

/** How many entries of a list or object are read. */
const MAX_LISTED = 200;

/** The array items that are read; empty for other values. */
export function listed(value: JsonValue | undefined): readonly JsonValue[] {
  return (list(value) ?? []).slice(0, MAX_LISTED);
}

/** Fields of a listed server that link to its card. */
const CARD_MEMBERS = [
  'card',
  'card_url',
  'cardUrl',
  'server_card',
  'serverCard',
  'server_card_url',
  'serverCardUrl',
] as const;

/** Field names reduced to letters (`mcp_endpoint`, `serverUrl`): URLs, objects with one, and servers by name. */
const ADDRESS = /^(?:mcp|server|remote|endpoint|connection|transport|streamable|http|sse)*(?:url|uri|href|endpoint)$/;
const HOLDER = /^(?:mcp|server|remote|endpoint|connection|transport)+s?$/;
const NAMED_SERVERS = /^(?:mcp|server|remote|connection)+s$/;

/** Fields with the URL of the object that contains them; at the top level often the URL of the site. */
const PLAIN = ['url', 'uri', 'href'] as const;

/** How many objects may be nested around a URL. */
const MAX_DEPTH = 2;

/** The location of a URL in a document, and its context. */
interface Place {
  readonly depth: number;
  /** The name of its field, reduced to letters. */
  readonly key: string;
  readonly anySite: boolean;
  readonly transport?: Transport | undefined;
  readonly name?: string | undefined;
  readonly card?: string | undefined;
}

/**
 * The first 20 endpoints in a server document, best transport first, then in document order. A2A cards, client
 * configuration examples, documentation and tools are ignored.
 */
export function namedEndpoints(document: JsonObject): readonly NamedEndpoint[] {
  const all = endpointsIn(document, { depth: 0, key: '', anySite: true });
  const reachable = all.filter(({ transport }) => transport !== 'stdio' && transport !== 'none');
  return reachable.sort((a, b) => transportRank(a.transport) - transportRank(b.transport)).slice(0, MAX_ENDPOINTS);
}

/** The endpoints in the fields of an object, or else its plain `url`. */
function endpointsIn(holder: JsonObject, place: Place): readonly NamedEndpoint[] {
  const { transport, type } = holder;
  const stated = text(transport) ?? (place.depth > 0 ? text(member(transport, 'type')) : undefined) ?? text(type);
  const own = {
    ...place,
    transport: readTransport(stated) ?? place.transport,
    ...(place.depth > 0 ? { name: text(holder['name']) ?? place.name, card: textIn(holder, CARD_MEMBERS) } : {}),
  };
  const variables = holder['variables'];
  const said = Object.entries(holder)
    .slice(0, MAX_LISTED)
    .flatMap(([key, value]) => (PLAIN.some((name) => name === spelled(key)) ? [] : endpointsAt(key, value, own)));
  if (said.length > 0 || (place.depth === 0 && !urlIsEndpoint(holder))) return said;
  return PLAIN.flatMap((name) => named(filled(text(member(holder, name)), variables), own));
}

/** The endpoints in one field: a URL, or an object or array with some. */
function endpointsAt(key: string, value: JsonValue | undefined, holder: Place): readonly NamedEndpoint[] {
  const name = spelled(key);
  const transport = readTransport(name.replace(/(?:url|uri|href|endpoint)$/, ''));
  const isServer = NAMED_SERVERS.test(holder.key);
  const isMcp = holder.key === 'endpoints' && name.includes('mcp');
  const url = text(value);
  if (url !== undefined && ADDRESS.test(name))
    return named(url, { ...holder, transport: transport ?? holder.transport });
  if (transport === undefined && !isServer && !isMcp && !HOLDER.test(name)) return [];
  const place = {
    ...holder,
    depth: holder.depth + 1,
    key: name,
    anySite: holder.anySite && (isServer || isMcp || /remote|s$/.test(name)),
    transport: transport ?? holder.transport,
    name: isServer ? key : holder.name,
  };
  if (url !== undefined) return isAddress(url) ? named(url, place) : [];
  if (place.depth > MAX_DEPTH) return [];
  if (isObject(value)) return endpointsIn(value, place);
  return listed(value).flatMap((item) => {
    if (isObject(item)) return endpointsIn(item, { ...place, key: '' });
    return isAddress(text(item) ?? '') ? named(text(item), place) : [];
  });
}

/** A name without case, underscores and the like. */
function spelled(key: string): string {
  return key
    .slice(0, 60)
    .toLowerCase()
    .replace(/[^a-z]/g, '');
}

/** An absolute URL or a path; other texts in these fields are names of servers and transports. */
function isAddress(value: string): boolean {
  return /^\s{0,9}(?:https?:\/\/|\.{0,2}\/)/i.test(value);
}

/** A plain `url` is often that of the site; it counts if the document describes a server. */
function urlIsEndpoint(document: JsonObject): boolean {
  const signs = ['tools', 'capabilities', 'mcpServers', 'protocolVersion', 'mcpVersion', 'mcp_version'];
  const transport = readTransport(text(document['transport']) ?? text(document['type']));
  const spoken = signs.some((sign) => Object.hasOwn(document, sign));
  return transport !== undefined || spoken || /\b(?:mcp|sse)\b/i.test((text(document['url']) ?? '').slice(0, MAX_URL));
}

/** A URL template filled with the default values of its variables (SEP-2127). */
function filled(url: string | undefined, variables: JsonValue | undefined): string | undefined {
  return url?.slice(0, MAX_URL + 1).replace(/\{([^{}]{1,100})\}/g, (template, name: string) => {
    return text(member(member(variables, name), 'default')) ?? template;
  });
}

/** The first of the fields that is a text. */
function textIn(holder: JsonValue, names: readonly string[]): string | undefined {
  return names.map((name) => text(member(holder, name))).find((value) => value !== undefined);
}

function named(url: string | undefined, { transport, name, card, anySite }: Place): readonly NamedEndpoint[] {
  if (url === undefined || url.length > MAX_URL) return [];
  const ownSiteOnly = anySite || transport !== undefined ? undefined : (true as const);
  return [defined({ url: url.trim(), transport, name, card, ownSiteOnly })];
}
