import { defined } from '@app/platform';
import { isObject, list, member, text, type JsonObject, type JsonValue } from '../formats/json';
import { findingsWhere, type Finding } from '../judgement/judgement';
import { listed, namedEndpoints, type NamedEndpoint } from './endpoints';
import { protocolVersions } from './handshake/rpc';
import { readTransport } from './handshake/transport';

/** The existing kinds of documents, named after their proposal or a characteristic field. */
type ServerShape =
  | 'server_card' //      SEP-2127: $schema .../v1/server-card.schema.json, remotes[]
  | 'registry_server' //  registry server.json: packages[], remotes[]
  | 'sep_1649_card' //    serverInfo and a transport object
  | 'static_card' //      serverInfo and tools, no transport (Smithery's documented scan fallback)
  | 'sep_1960' //         mcp_version or server_name with an endpoints object
  | 'endpoints_list'
  | 'transports_map'
  | 'servers_list'
  | 'client_config' //    mcpServers
  | 'flat'; //            endpoint, url or serverUrl at the top level

/** The data about an MCP server in a document. */
export interface ServerDocument {
  readonly shape: ServerShape;
  readonly keys: readonly string[];
  readonly name?: string;
  readonly endpoints: readonly NamedEndpoint[];
  /** Why there is no endpoint, if there is none. */
  readonly note?: 'no_endpoint' | 'stdio_only' | 'transport_none' | 'local_packages_only';
  /** Stated protocol versions, newest first. */
  readonly protocolVersions: readonly string[];
  readonly authRequired?: boolean;
  readonly serverCount: number;
  readonly findings: readonly Finding[];
}

/** `$schema` of SEP-2127 cards; the draft allows no other. */
const CARD_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/v1/server-card.schema.json';

/** `name` of SEP-2127 cards: a reverse-DNS namespace, one slash, the server's name. */
const NAMESPACED = /^[a-zA-Z0-9.-]{1,200}\/[a-zA-Z0-9._-]{1,200}$/;

/**
 * Parses a server document of any known kind; undefined for JSON that does not describe an MCP server. Never throws.
 */
export function readServerDocument(document: JsonValue): ServerDocument | undefined {
  if (!isObject(document)) return undefined;
  const endpoints = namedEndpoints(document);
  const shape = shapeOf(document, endpoints);
  if (shape === undefined) return undefined;
  const name = nameOf(document) ?? endpoints.find((endpoint) => endpoint.name !== undefined)?.name;
  const required = member(document['authentication'], 'required');
  return {
    shape,
    keys: Object.keys(document),
    endpoints,
    protocolVersions: versionsOf(document),
    serverCount: serverCount(document),
    findings: shape === 'server_card' ? cardFindings(document) : [],
    ...defined({
      name,
      note: endpoints.length > 0 ? undefined : noteOf(document),
      authRequired: typeof required === 'boolean' ? required : undefined,
    }),
  };
}

function shapeOf(document: JsonObject, endpoints: readonly NamedEndpoint[]): ServerShape | undefined {
  const schema = text(document['$schema']) ?? '';
  if (/\/server\.schema\.json$/.test(schema) || list(document['packages'])) return 'registry_server';
  if (/\/server-card\.schema\.json$/.test(schema) || list(document['remotes']) || isBareCard(document)) {
    return 'server_card';
  }
  if (isObject(document['serverInfo'])) return isObject(document['transport']) ? 'sep_1649_card' : 'static_card';
  if (endpoints.length > 0) {
    const shapes: readonly (readonly [boolean, ServerShape])[] = [
      [stated(document, 'mcp_version') || stated(document, 'server_name'), 'sep_1960'],
      [stated(document, 'transports'), 'transports_map'],
      [list(document['endpoints']) !== undefined, 'endpoints_list'],
      [list(document['servers']) !== undefined, 'servers_list'],
      [stated(document, 'mcpServers') && !stated(document, 'url') && !stated(document, 'endpoint'), 'client_config'],
    ];
    return shapes.find(([told]) => told)?.[1] ?? 'flat';
  }
  return speaksOfServer(document) ? 'flat' : undefined;
}

/** A document without an endpoint still counts if it names the protocol, a transport or tools. */
function speaksOfServer(document: JsonObject): boolean {
  const named = ['mcpVersion', 'mcp_version', 'mcpServers'].some((key) => Object.hasOwn(document, key));
  if (named || text(document['protocol'])?.toLowerCase() === 'mcp') return true;
  if (isObject(document['transport']) || isObject(document['transports'])) return true;
  return text(document['protocolVersion']) !== undefined || list(document['tools']) !== undefined;
}

/** A SEP-2127 card without `$schema`: only cards have a namespaced name. */
function isBareCard(document: JsonObject): boolean {
  return NAMESPACED.test(text(document['name']) ?? '') && text(document['version']) !== undefined;
}

function stated(document: JsonObject, key: string): boolean {
  return document[key] !== undefined && document[key] !== null;
}

function nameOf(document: JsonObject): string | undefined {
  const info = document['serverInfo'];
  const stated = [info, document].flatMap((holder) => [member(holder, 'title'), member(holder, 'name')]);
  return [...stated, document['server_name']].map((value) => text(value)).find((value) => value !== undefined);
}

function noteOf(document: JsonObject): NonNullable<ServerDocument['note']> {
  const transport = document['transport'];
  const stated = readTransport(text(transport) ?? text(member(transport, 'type')));
  if (stated === 'none') return 'transport_none';
  const transports = isObject(document['transports']) ? Object.keys(document['transports']) : [];
  if (stated === 'stdio' || (transports.length > 0 && transports.every((kind) => readTransport(kind) === 'stdio'))) {
    return 'stdio_only';
  }
  return (list(document['packages']) ?? []).length > 0 ? 'local_packages_only' : 'no_endpoint';
}

/** Protocol versions: release dates of the specification; other version numbers are the host's own. */
function versionsOf(document: JsonObject): readonly string[] {
  const remotes = listed(document['remotes']);
  const stated = [
    document['protocolVersion'],
    document['mcp_version'],
    document['mcpVersion'],
    ...listed(document['protocolVersions']),
    ...listed(document['supportedProtocolVersions']),
    ...remotes.flatMap((remote) => listed(member(remote, 'supportedProtocolVersions'))),
  ];
  return protocolVersions(stated);
}

function serverCount(document: JsonObject): number {
  const several = list(document['servers'])?.length ?? 0;
  const configured = isObject(document['mcpServers']) ? Object.keys(document['mcpServers']).length : 0;
  return Math.max(1, several, configured);
}

/** Violations of the card schema of SEP-2127. Most real cards have one, so they do not change the status. */
function cardFindings(document: JsonObject): readonly Finding[] {
  const schema = text(document['$schema']);
  const name = text(document['name']) ?? '';
  const description = text(document['description']);
  const remotes = listed(document['remotes']).map(
    (remote, i) => [text(member(remote, 'type')) === undefined, 'remote_type_missing', `$.remotes[${i}].type`] as const,
  );
  return [
    ...findingsWhere([
      [schema === undefined, 'schema_missing', '$.$schema'],
      [schema !== undefined && schema !== CARD_SCHEMA, 'schema_unknown', '$.$schema'],
      [!NAMESPACED.test(name), 'name_not_namespaced', '$.name'],
      [text(document['version']) === undefined, 'version_missing', '$.version'],
      [description === undefined, 'description_missing', '$.description'],
    ]),
    ...findingsWhere(remotes).slice(0, 10),
    ...findingsWhere([[(description?.length ?? 0) > 100, 'description_too_long', '$.description']]),
  ];
}
