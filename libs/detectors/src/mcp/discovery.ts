import { defined } from '@app/platform';
import { ardDocuments, ardEntries, ardManifest, manifestAt, type ArdEntry, type ArdManifest } from '../documents/ard';
import { type Answer, type ProbeRequest, header, type Exchange } from '../evidence/exchange';
import type { HostEvidence } from '../evidence/host-evidence';
import { onceEach } from '../evidence/once-each';
import { saidJson } from '../evidence/reading';
import { foundDocument, isTemplate, type FoundDocument } from './host-server';
import { listedResource } from './oauth';
import type { Transport } from './handshake/transport';
import { announcesPostEndpoint, isEventStream, isUcpError, namesResourceMetadata, rpcMessage } from './handshake/rpc';

/**
 * A discovery path that is the MCP endpoint itself: it is rewritten to the server, and answers a GET as a server does.
 */
interface EndpointPath {
  readonly answer: Answer;
  readonly transport: Transport;
  /** Set if the path required credentials; a rejected GET does not show what a POST needs. */
  readonly authRequired?: true;
}

/**
 * Recognizes an MCP server at a discovery path. Servers refuse a plain GET in several ways (405, 406, 400 with a
 * JSON-RPC error) or open a stream. If nonexistent paths get the same answer, it proves nothing.
 */
function endpointPath(exchange: Exchange | undefined, seen: HostEvidence): EndpointPath | undefined {
  if (exchange?.kind !== 'answer' || seen.isCatchAll(exchange)) return undefined;
  const answer = exchange;
  const sign = signOf(answer);
  if (sign === undefined || unrelated(seen).some((other) => signOf(other) === sign)) return undefined;
  if (sign === 'protected') return { answer, transport: 'streamable-http', authRequired: true };
  if (seen.readingOf(answer).kind === 'blocked') return undefined;
  return { answer, transport: sign === 'stream' && announcesPostEndpoint(answer) ? 'sse' : 'streamable-http' };
}

/**
 * Answers at paths unrelated to MCP, including the control pair; the home page is excluded, because it may be the
 * server.
 */
function unrelated({ exchanges }: HostEvidence): readonly Answer[] {
  return exchanges.filter((exchange): exchange is Answer => {
    const { pathname } = new URL(exchange.url);
    return exchange.kind === 'answer' && exchange.phase === 'presence' && pathname !== '/' && !/mcp/i.test(pathname);
  });
}

/** The longest JSON-RPC answer to a plain GET, in characters. */
const MAX_MESSAGE = 65_536;

/** The part of an answer that indicates a server. */
const signOf = onceEach((answer: Answer): 'protected' | 'stream' | 'message' | 'refuses_get' | undefined => {
  if (namesResourceMetadata(answer)) return 'protected';
  if (isEventStream(answer) && answer.status === 200) return 'stream';
  const message = answer.body.length <= MAX_MESSAGE ? rpcMessage(answer) : undefined;
  if (message) return isUcpError(message) ? undefined : 'message';
  return refusesLikeServer(answer) ? 'refuses_get' : undefined;
});

function refusesLikeServer(answer: Answer): boolean {
  if (answer.status === 405) return /\bPOST\b/i.test(header(answer, 'allow') ?? 'POST');
  return answer.status === 406 && /event-stream/i.test(answer.body.slice(0, 4_096));
}

/** The most common path is requested first; the path of behaviour 5.5 is first in the report. */
export const MCP_JSON = '/.well-known/mcp.json';
export const SERVER_CARD = '/.well-known/mcp/server-card.json';
/** From behaviour 5.5; often rewritten to the endpoint itself. */
export const MCP = '/.well-known/mcp';
/** The list of servers of June 2026, before the extension switched to AI catalogs. */
export const CATALOGUE = '/.well-known/mcp/catalog.json';
/** The path reserved by the draft, `<endpoint>/server-card`, for the most common endpoint. */
export const DEFAULT_CARD = '/mcp/server-card';

/** Paths used only for MCP, in the order of the report. */
export const PATHS = [MCP_JSON, MCP, SERVER_CARD, DEFAULT_CARD] as const;

/** How many cards are followed. */
const MAX_CARDS = 2;

/** Cards of 41 KB are in use. */
const MAX_BYTES = 524_288;

/** The request for a server document. */
export const documentRequest = (url: string): ProbeRequest => ({
  method: 'GET',
  url,
  accept: 'application/mcp-server-card+json, application/json, */*;q=0.1',
  maxBytes: MAX_BYTES,
});

/** The location of the server, and its evidence. */
export interface Declared {
  readonly answer: Answer;
  readonly endpoint: string;
  readonly transport?: Transport;
  readonly document?: FoundDocument;
  readonly authRequired?: boolean;
}

/** The manifest with servers: the one shared by all detectors, or the older one of MCP. */
export function catalogue(seen: HostEvidence): ArdManifest | undefined {
  return ardManifest(seen) ?? manifestAt(seen, CATALOGUE);
}

/** Its entries that claim to be MCP servers. */
export const catalogueEntries = onceEach((seen: HostEvidence): readonly ArdEntry[] =>
  ardEntries(seen, catalogue(seen)).filter(({ kind }) => kind === 'mcp'),
);

/** Same-site cards that are linked by the catalog or by the lists of servers in `own`. */
export function linkedCards(own: readonly FoundDocument[], seen: HostEvidence): readonly string[] {
  const listed = ardDocuments(seen, 'mcp', catalogueEntries(seen));
  const cards = own.flatMap(({ document, answer }) =>
    document.endpoints.map(({ card }) => card && seen.resolve(card, answer.finalUrl)),
  );
  const urls = [...listed, ...cards].filter((url) => url !== undefined);
  const known = PATHS.map((path) => seen.resolve(path));
  return [...new Set(urls)].filter((url) => seen.sameSite(url) && !known.includes(url)).slice(0, MAX_CARDS);
}

/** A document that exceeds the size limit counts if its beginning names an endpoint (behaviour 4.9). */
function documentAt(url: string, seen: HostEvidence): FoundDocument | undefined {
  const said = saidJson(seen.read(url));
  const found = said && foundDocument(said.value, said.answer, seen);
  return said?.truncated && !found?.endpoint ? undefined : found;
}

/** Server documents at the discovery paths. */
export const ownDocuments = onceEach((seen: HostEvidence): readonly FoundDocument[] =>
  PATHS.flatMap((path) => documentAt(path, seen) ?? []),
);

/** All server documents of the host, the paths of behaviour 5.5 first, and those below the endpoint last. */
export function documents(seen: HostEvidence): readonly FoundDocument[] {
  const found = listedDocuments(seen);
  const card = ownCard(found, seen);
  const own = card === undefined ? undefined : documentAt(card, seen);
  return own && !found.some(({ answer }) => answer === own.answer) ? [...found, own] : found;
}

/** The path of the card below the endpoint in `found` or in the manifest (SEP-2127). */
export function ownCard(found: readonly FoundDocument[], seen: HostEvidence): string | undefined {
  const endpoint = declared(found, seen)?.endpoint ?? listedResource(seen)?.endpoint;
  if (endpoint === undefined || isTemplate(endpoint) || !seen.sameSite(endpoint)) return undefined;
  const { origin, pathname } = new URL(endpoint);
  return `${origin}${pathname.replace(/\/$/, '')}/server-card`;
}

/** Server documents that are at their paths, linked, listed or inline. */
export const listedDocuments = onceEach((seen: HostEvidence): readonly FoundDocument[] => {
  const { answer } = catalogue(seen) ?? {};
  const inline = catalogueEntries(seen).flatMap(({ data }) =>
    data && answer ? (foundDocument(data, answer, seen) ?? []) : [],
  );
  const own = ownDocuments(seen);
  return [...own, ...linkedCards(own, seen).flatMap((url) => documentAt(url, seen) ?? []), ...inline];
});

/** The declared endpoint: in a document, or served at a discovery path. */
export function declared(found: readonly FoundDocument[], seen: HostEvidence): Declared | undefined {
  const document = found.find(({ endpoint }) => endpoint !== undefined);
  if (document?.endpoint) {
    const { absolute, transport } = document.endpoint;
    const { authRequired } = document.document;
    return { answer: document.answer, endpoint: absolute, document, ...defined({ transport, authRequired }) };
  }
  for (const path of [MCP_JSON, MCP]) {
    const served = endpointPath(seen.at(path), seen);
    if (served) return { ...served, endpoint: served.answer.finalUrl };
  }
  return undefined;
}

/** How a document without a well-known path was found. */
export function foundVia(answer: Answer, seen: HostEvidence): 'ard' | undefined {
  if (PATHS.some((path) => seen.at(path) === answer)) return undefined;
  const listed = ardDocuments(seen, 'mcp', catalogueEntries(seen)).map((url) => seen.at(url));
  return [...listed, catalogue(seen)?.answer].includes(answer) ? 'ard' : undefined;
}
