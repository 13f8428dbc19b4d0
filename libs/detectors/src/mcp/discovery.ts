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

/** A discovery path that is the MCP endpoint itself: rewritten to the server, it answers a GET as a server does. */
interface EndpointPath {
  readonly answer: Answer;
  readonly transport: Transport;
  /** Set when the path asked for credentials; a rejected GET does not show what a POST needs. */
  readonly authRequired?: true;
}

/**
 * Recognises an MCP server behind a discovery path. Servers refuse a bare GET in several ways (405, 406, 400 with a
 * JSON-RPC error) or open a stream; what the host says to nonsense as well proves nothing, in whatever words.
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

/** Answers at paths that have nothing to do with MCP, nonsense among them; the home page may be a server's own. */
function unrelated({ exchanges }: HostEvidence): readonly Answer[] {
  return exchanges.filter((exchange): exchange is Answer => {
    const { pathname } = new URL(exchange.url);
    return exchange.kind === 'answer' && exchange.phase === 'presence' && pathname !== '/' && !/mcp/i.test(pathname);
  });
}

/** Longest JSON-RPC message to a bare GET, in characters. */
const MAX_MESSAGE = 65_536;

/** What of an answer shows a server. */
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

/** Most deployed first in the field; the path of behaviour 5.5 first in the report. */
export const MCP_JSON = '/.well-known/mcp.json';
export const SERVER_CARD = '/.well-known/mcp/server-card.json';
/** Behaviour 5.5; often rewritten to the endpoint itself. */
export const MCP = '/.well-known/mcp';
/** The list of servers of June 2026, before the extension took to AI catalogues. */
export const CATALOGUE = '/.well-known/mcp/catalog.json';
/** The draft's reserved place, `<endpoint>/server-card`, for the commonest endpoint. */
export const DEFAULT_CARD = '/mcp/server-card';

/** Paths whose answer belongs to MCP alone, in the order they are reported. */
export const PATHS = [MCP_JSON, MCP, SERVER_CARD, DEFAULT_CARD] as const;

/** Cards followed. */
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

/** Where the server is, and what proves it. */
export interface Declared {
  readonly answer: Answer;
  readonly endpoint: string;
  readonly transport?: Transport;
  readonly document?: FoundDocument;
  readonly authRequired?: boolean;
}

/** The manifest that lists servers: the one all detectors share, or the older one of MCP alone. */
export function catalogue(seen: HostEvidence): ArdManifest | undefined {
  return ardManifest(seen) ?? manifestAt(seen, CATALOGUE);
}

/** Its entries that claim to be MCP servers. */
export const catalogueEntries = onceEach((seen: HostEvidence): readonly ArdEntry[] =>
  ardEntries(seen, catalogue(seen)).filter(({ kind }) => kind === 'mcp'),
);

/** Same-site cards that the catalogue or the lists of servers in `own` link. */
export function linkedCards(own: readonly FoundDocument[], seen: HostEvidence): readonly string[] {
  const listed = ardDocuments(seen, 'mcp', catalogueEntries(seen));
  const cards = own.flatMap(({ document, answer }) =>
    document.endpoints.map(({ card }) => card && seen.resolve(card, answer.finalUrl)),
  );
  const urls = [...listed, ...cards].filter((url) => url !== undefined);
  const known = PATHS.map((path) => seen.resolve(path));
  return [...new Set(urls)].filter((url) => seen.sameSite(url) && !known.includes(url)).slice(0, MAX_CARDS);
}

/** A document over the size cap counts as soon as its beginning names an endpoint (behaviour 4.9). */
function documentAt(url: string, seen: HostEvidence): FoundDocument | undefined {
  const said = saidJson(seen.read(url));
  const found = said && foundDocument(said.value, said.answer, seen);
  return said?.truncated && !found?.endpoint ? undefined : found;
}

/** Server documents at the discovery paths. */
export const ownDocuments = onceEach((seen: HostEvidence): readonly FoundDocument[] =>
  PATHS.flatMap((path) => documentAt(path, seen) ?? []),
);

/** Every server document of the host, the paths of behaviour 5.5 first, and what stands below the endpoint last. */
export function documents(seen: HostEvidence): readonly FoundDocument[] {
  const found = listedDocuments(seen);
  const card = ownCard(found, seen);
  const own = card === undefined ? undefined : documentAt(card, seen);
  return own && !found.some(({ answer }) => answer === own.answer) ? [...found, own] : found;
}

/** Where SEP-2127 puts the card of the server that `found` or the manifest names: below its endpoint. */
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

/** The endpoint the host declares: in a document, or by serving it at a discovery path. */
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

/** The link that led to a document without a well-known path. */
export function foundVia(answer: Answer, seen: HostEvidence): 'ard' | undefined {
  if (PATHS.some((path) => seen.at(path) === answer)) return undefined;
  const listed = ardDocuments(seen, 'mcp', catalogueEntries(seen)).map((url) => seen.at(url));
  return [...listed, catalogue(seen)?.answer].includes(answer) ? 'ard' : undefined;
}
