import { declaredUrlFindings } from './declared-url';
import { withDocumentFaults } from './document-faults';
import { defineDetector, type Finding, type Judgement } from './detector';
import type { Answer, Exchange, ProbeRequest } from './exchange';
import type { HostEvidence } from './host-evidence';
import { adviseMcp } from './mcp/advice';
import { readCatalogue, type CatalogueEntry } from './mcp/ai-catalogue';
import { endpointPath } from './mcp/endpoint-path';
import { handshakeRequests, readHandshake, type Handshake } from './mcp/handshake';
import { foundDocument, isTemplate, type FoundDocument } from './mcp/host-server';
import { protocolVersions } from './mcp/server-document';
import type { Transport } from './mcp/transport';
import { jsonOutline } from './openapi/json-outline';
import { unreadable } from './unreadable';
import { exchangeOf, nothingFound } from './verdict';

/** Most deployed first in the field; the path of spec 2.6 first in the report. */
const MCP_JSON = '/.well-known/mcp.json';
const SERVER_CARD = '/.well-known/mcp/server-card.json';
/** Spec 2.6; often rewritten to the endpoint itself. */
const MCP = '/.well-known/mcp';
/** The discovery document of the current draft (SEP-2127). */
const CATALOGUE = '/.well-known/ai-catalog.json';
/** The draft's reserved place, `<endpoint>/server-card`, for the commonest endpoint. */
const DEFAULT_CARD = '/mcp/server-card';

/** Paths whose answer belongs to MCP alone, in the order they are reported. */
const PATHS = [MCP_JSON, MCP, SERVER_CARD, DEFAULT_CARD] as const;

/** Cards followed out of a catalogue. */
const MAX_CARDS = 2;

/** Entries of a catalogue looked at; all are counted. */
const MAX_ENTRIES = 50;

/** Cards of 41 KB are in use. */
const MAX_BYTES = 524_288;

const request = (url: string): ProbeRequest => ({
  method: 'GET',
  url,
  accept: 'application/mcp-server-card+json, application/json, */*;q=0.1',
  maxBytes: MAX_BYTES,
});

/** Text of a cut document looked at; endpoints stand before the long lists of tools. */
const MAX_CUT_CHARS = 131_072;

/** Where the server is, and what proves it. */
interface Declared {
  readonly answer: Answer;
  readonly endpoint: string;
  readonly transport?: Transport;
  readonly document?: FoundDocument;
  readonly authRequired?: boolean;
}

function catalogueEntries(seen: HostEvidence): readonly CatalogueEntry[] {
  const reading = seen.read(CATALOGUE);
  return reading.kind === 'json' ? (readCatalogue(reading.value) ?? []) : [];
}

/** Same-site cards that the catalogue or the lists of servers in `own` link. */
function linkedCards(own: readonly FoundDocument[], seen: HostEvidence): readonly string[] {
  const listed = catalogueEntries(seen)
    .slice(0, MAX_ENTRIES)
    .flatMap((entry) => (entry.kind === 'link' ? [entry.url] : []));
  const cards = own.flatMap(({ document, answer }) =>
    document.endpoints.map(({ card }) => card && seen.resolve(card, answer.finalUrl)),
  );
  const urls = [...listed.map((url) => seen.resolve(url)), ...cards].filter((url) => url !== undefined);
  const known = PATHS.map((path) => seen.resolve(path));
  return [...new Set(urls)].filter((url) => seen.sameSite(url) && !known.includes(url)).slice(0, MAX_CARDS);
}

function documentAt(url: string, seen: HostEvidence): FoundDocument | undefined {
  const reading = seen.read(url);
  if (reading.kind === 'json') return foundDocument(reading.value, reading.answer, seen);
  return reading.kind === 'blocked' && reading.reason === 'too_large' ? cutDocument(reading.exchange, seen) : undefined;
}

/** A document over the size cap counts as soon as its beginning names an endpoint (contract 8). */
function cutDocument(exchange: Exchange, seen: HostEvidence): FoundDocument | undefined {
  if (exchange.kind !== 'answer') return undefined;
  const outline = jsonOutline(exchange.body.slice(0, MAX_CUT_CHARS));
  const found = outline && foundDocument(outline, exchange, seen);
  return found?.endpoint ? found : undefined;
}

/** Server documents at the discovery paths. */
function ownDocuments(seen: HostEvidence): readonly FoundDocument[] {
  return PATHS.flatMap((path) => documentAt(path, seen) ?? []);
}

/** Every server document of the host, the paths of spec 2.6 first. */
function documents(seen: HostEvidence): readonly FoundDocument[] {
  const catalogue = seen.read(CATALOGUE);
  const inline = catalogueEntries(seen)
    .slice(0, MAX_ENTRIES)
    .flatMap((entry) =>
      entry.kind === 'inline' && catalogue.kind === 'json'
        ? (foundDocument(entry.card, catalogue.answer, seen) ?? [])
        : [],
    );
  const own = ownDocuments(seen);
  return [...own, ...linkedCards(own, seen).flatMap((url) => documentAt(url, seen) ?? []), ...inline];
}

/** The endpoint the host declares: in a document, or by serving it at a discovery path. */
function declared(found: readonly FoundDocument[], seen: HostEvidence): Declared | undefined {
  const document = found.find(({ endpoint }) => endpoint !== undefined);
  if (document?.endpoint) {
    const { absolute, transport } = document.endpoint;
    return {
      answer: document.answer,
      endpoint: absolute,
      document,
      ...(transport === undefined ? {} : { transport }),
      ...(document.document.authRequired === undefined ? {} : { authRequired: document.document.authRequired }),
    };
  }
  for (const path of [MCP_JSON, MCP]) {
    const served = endpointPath(seen.at(path), seen);
    if (!served) continue;
    return { ...served, endpoint: served.answer.finalUrl };
  }
  return undefined;
}

/** Linked cards, then the second path of spec 2.6, then the draft's default; nothing once an endpoint is known. */
function followUps(seen: HostEvidence): readonly ProbeRequest[] {
  const first = [MCP_JSON, SERVER_CARD].map((path) => seen.read(path));
  if (first.every((reading) => reading.kind === 'blocked') || declared(documents(seen), seen)) return [];
  return [...linkedCards(ownDocuments(seen), seen), MCP, ...(seen.at(MCP) ? [DEFAULT_CARD] : [])].map(request);
}

function exercises(seen: HostEvidence): readonly ProbeRequest[] {
  const server = declared(documents(seen), seen);
  // What the presence budget did not reach on a host that publishes little.
  if (!server) return followUps(seen).filter(({ url }) => seen.at(url) === undefined);
  if (isTemplate(server.endpoint) || !seen.sameSite(server.endpoint)) return [];
  return handshakeRequests(server.endpoint, server.transport, seen);
}

function judge(seen: HostEvidence): Judgement {
  const found = documents(seen);
  const server = declared(found, seen);
  return server ? judgeServer(server, found, seen) : judgeWithout(found, seen);
}

function judgeServer(server: Declared, found: readonly FoundDocument[], seen: HostEvidence): Judgement {
  const { answer, endpoint, transport, document } = server;
  const handshake = readHandshake(endpoint, transport, seen);
  const name = document?.document.name ?? handshake?.name ?? found.find((other) => other.document.name)?.document.name;
  const stated = document?.document.protocolVersions ?? [];
  const versions = protocolVersions([...stated, ...(handshake?.protocolVersions ?? [])]);
  const authRequired = handshake?.outcome === 'protected' && handshake.statusCode !== 402 ? true : server.authRequired;
  const catalogued = catalogueEntries(seen).length;
  const details = {
    ...(name === undefined ? {} : { name }),
    ...(document ? { keys: document.document.keys } : {}),
    endpoint,
    ...(transport === undefined ? {} : { transport }),
    path: new URL(answer.url).pathname,
    ...(answer.truncated && document ? { truncated: true } : {}),
    shape: document?.document.shape ?? 'endpoint_path',
    serverCount: Math.max(document?.document.serverCount ?? 1, catalogued),
    ...(versions.length === 0 ? {} : { protocolVersions: versions }),
    ...(authRequired === undefined ? {} : { authRequired }),
    ...(handshake?.statusCode === undefined ? {} : { endpointStatus: handshake.statusCode }),
    ...(handshake?.failure === undefined ? {} : { endpointFailure: handshake.failure }),
  };
  return {
    status: 'present',
    version: versions[0] ?? null,
    details,
    findings: serverFindings(server, found, handshake),
    decidedBy: [answer, ...(handshake?.exchanges ?? []).filter((exchange) => exchange !== answer)],
  };
}

function serverFindings(
  { endpoint, transport, document }: Declared,
  found: readonly FoundDocument[],
  handshake: Handshake | undefined,
): readonly Finding[] {
  const others = found.flatMap((other) => (other.endpoint ? [other.endpoint.absolute] : []));
  return [
    ...(document?.document.findings ?? []),
    ...declaredUrlFindings(endpoint, endpoint),
    ...(isTemplate(endpoint) ? [{ id: 'endpoint_template', at: endpoint }] : []),
    ...(transport === 'sse' ? [{ id: 'legacy_transport', at: endpoint }] : []),
    ...(others.some((other) => other !== endpoint) ? [{ id: 'endpoints_disagree', at: endpoint }] : []),
    ...(handshake?.lacking ?? []).map((name) => ({ id: 'handshake_member_missing', at: `result.${name}` })),
    ...(handshake?.outcome === 'dead' ? [{ id: 'endpoint_unreachable', at: endpoint }] : []),
  ];
}

/** No endpoint: a document that names none, a catalogue of cards we cannot read, a page, or nothing at all. */
function judgeWithout(found: readonly FoundDocument[], seen: HostEvidence): Judgement {
  const document = found[0];
  if (document) return judgeIncomplete(document);
  const catalogue = seen.read(CATALOGUE);
  const entries = catalogueEntries(seen).length;
  if (catalogue.kind === 'json' && entries > 0) {
    const details = { note: 'card_unread', path: CATALOGUE, shape: 'ai_catalogue', serverCount: entries };
    return { status: 'partial', details, decidedBy: [catalogue.answer] };
  }
  const readings = PATHS.map((path) => seen.read(path));
  // The page a host shows for everything is no answer to a question it would not let us ask.
  const blocked = readings.some((reading) => reading.kind === 'blocked');
  for (const reading of readings) {
    const body = unreadable(reading);
    const note = body?.note ?? (reading.kind === 'json' ? 'no_mcp_member' : undefined);
    const exchange = exchangeOf(reading);
    if (note === undefined || exchange === undefined || (blocked && reading.kind === 'html' && reading.habitual))
      continue;
    // Spec 2.6: HTML here is partial, not absent, also on a host that shows one page for everything.
    const catchAll = reading.kind === 'html' && reading.habitual ? { catchAll: true } : {};
    const details = { note, path: new URL(exchange.url).pathname, ...catchAll };
    return { status: 'partial', details, decidedBy: [exchange] };
  }
  return nothingFound([...readings, catalogue]);
}

function judgeIncomplete({ answer, document, unusable }: FoundDocument): Judgement {
  const details = {
    note: unusable ?? document.note ?? 'no_endpoint',
    ...(document.name === undefined ? {} : { name: document.name }),
    keys: document.keys,
    path: new URL(answer.url).pathname,
    shape: document.shape,
    ...(document.authRequired === undefined ? {} : { authRequired: document.authRequired }),
  };
  const version = document.protocolVersions[0] ?? null;
  return { status: 'partial', version, details, findings: document.findings, decidedBy: [answer] };
}

/** MCP: the server that tools are called on. Discovery is a draft with a history of paths and shapes; spec 2.6. */
export const mcp = defineDetector({
  id: 'mcp',
  name: { short: 'MCP', long: 'Model Context Protocol' },
  spec: 'https://github.com/modelcontextprotocol/experimental-ext-server-card/blob/main/docs/discovery.md',
  probes: [SERVER_CARD, MCP_JSON, CATALOGUE].map(request),
  followUps,
  exercises,
  judge: (seen) => withDocumentFaults(judge(seen), seen),
  advise: adviseMcp,
});
