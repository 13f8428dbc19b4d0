import { defineDetector } from '../judgement/detector';
import { ARD_PROBE, ardDocuments, ardFollowUps, ardMismatches, AI_CATALOGUE } from '../documents/ard';
import { declaredUrlFindings } from '../documents/declared-url';
import { withDocumentFaults } from '../documents/document-faults';
import type { ProbeRequest } from '../evidence/exchange';
import type { HostEvidence } from '../evidence/host-evidence';
import { findingsWhere, type Finding, withFindings, type Judgement } from '../judgement/judgement';
import { adviseMcp } from './advice';
import {
  CATALOGUE,
  catalogue,
  catalogueEntries,
  declared,
  DEFAULT_CARD,
  documentRequest,
  documents,
  foundVia,
  linkedCards,
  listedDocuments,
  MCP,
  MCP_JSON,
  ownCard,
  ownDocuments,
  SERVER_CARD,
  type Declared,
  PATHS,
} from './discovery';
import { handshakeRequests, readHandshake, type Handshake } from './handshake/handshake';
import { isTemplate, type FoundDocument } from './host-server';
import { listedResource, oauthRequests, readOauth } from './oauth';
import { protocolVersions } from './handshake/rpc';
import { readServerDocument } from './server-document';
import { PROFILE_PATH } from '../ucp/profile';
import { endpointOf, publishedProfile } from '../ucp/published-profile';
import { unreadable } from '../documents/well-known-json';
import { isUnseen } from '../evidence/reading';
import { exchangeOf, nothingFound } from '../judgement/nothing-found';

/** Without an endpoint: a document that names none, a catalog of unreadable cards, a page, or nothing at all. */
function judgeWithout(found: readonly FoundDocument[], seen: HostEvidence): Judgement {
  const document = found[0];
  if (document) return judgeIncomplete(document);
  const listing = catalogue(seen);
  const entries = catalogueEntries(seen).length;
  const path = listing && new URL(listing.answer.url).pathname;
  // The older names are only used for MCP; an entry of an ARD manifest says nothing before its document is read.
  if (listing && path !== undefined && [AI_CATALOGUE, CATALOGUE].includes(path) && entries > 0) {
    const details = { note: 'card_unread', path, shape: 'ai_catalogue', serverCount: entries };
    return { status: 'partial', details, decidedBy: [listing.answer] };
  }
  const readings = PATHS.map((path) => seen.read(path));
  // If one path was refused, a catch-all page at the other does not prove absence.
  const blocked = readings.some(isUnseen);
  for (const reading of readings) {
    const body = unreadable(reading);
    const note = body?.note ?? (reading.kind === 'json' ? 'no_mcp_member' : undefined);
    const exchange = exchangeOf(reading);
    if (note === undefined || exchange === undefined || (blocked && reading.kind === 'html' && reading.catchAll))
      continue;
    // By behaviour 5.5, HTML is partial here and not absent, even on a host with one page for every path.
    const catchAll = reading.kind === 'html' && reading.catchAll ? { catchAll: true } : {};
    const details = { note, path: new URL(exchange.url).pathname, ...catchAll };
    return { status: 'partial', details, decidedBy: [exchange] };
  }
  return nothingFound([...readings, ...[ARD_PROBE.url, AI_CATALOGUE, CATALOGUE].map((url) => seen.read(url))]);
}

function judgeIncomplete({ answer, document, unusable }: FoundDocument): Judgement {
  const details = {
    note: unusable ?? document.note ?? 'no_endpoint',
    name: document.name,
    keys: document.keys,
    path: new URL(answer.url).pathname,
    shape: document.shape,
    authRequired: document.authRequired,
  };
  const version = document.protocolVersions[0] ?? null;
  return { status: 'partial', version, details, findings: document.findings, decidedBy: [answer] };
}

/**
 * Linked cards, then the second path of behaviour 5.5, then the draft's default. With a known endpoint, only the card
 * below it, unless a card named the endpoint.
 */
function followUps(seen: HostEvidence): readonly ProbeRequest[] {
  const first = [MCP_JSON, SERVER_CARD].map((path) => seen.read(path));
  if (first.every((reading) => reading.kind === 'blocked')) return [];
  const found = listedDocuments(seen);
  const card = found.some(({ document }) => document.shape === 'server_card') ? undefined : ownCard(found, seen);
  const below = card === undefined ? [] : [{ ...documentRequest(card), optional: true as const }];
  if (declared(found, seen)) return below;
  const linked = linkedCards(ownDocuments(seen), seen).map((url) => ({
    ...documentRequest(url),
    declared: true as const,
  }));
  const guessed = [DEFAULT_CARD, ...(catalogue(seen) ? [] : [CATALOGUE]), PROFILE_PATH];
  const optional = seen.at(MCP) ? guessed.map((url) => ({ ...documentRequest(url), optional: 'last' as const })) : [];
  const metadata = ardDocuments(seen, 'oauth').map((url) => ({
    ...documentRequest(url),
    optional: true as const,
    declared: true as const,
  }));
  return [...linked, documentRequest(MCP), ...ardFollowUps(seen), ...metadata, ...optional, ...below];
}

function exercises(seen: HostEvidence): readonly ProbeRequest[] {
  const server: Declared | undefined = declared(documents(seen), seen) ?? namedElsewhere(seen);
  if (!server || isTemplate(server.endpoint) || !seen.sameSite(server.endpoint)) return [];
  const { endpoint, transport } = server;
  const next = handshakeRequests(endpoint, transport, seen);
  const handshake = next.length > 0 ? undefined : readHandshake(endpoint, transport, seen);
  return handshake ? oauthRequests(endpoint, handshake, seen) : next;
}

function judge(seen: HostEvidence): Judgement {
  const found = documents(seen);
  const server = declared(found, seen);
  const judgement = server ? judgeServer(server, found, seen) : (judgeNamed(seen) ?? judgeWithout(found, seen));
  return withFindings(
    judgement,
    ardMismatches(seen, 'mcp', (value) => readServerDocument(value) !== undefined),
  );
}

interface NamedServer extends Declared {
  readonly shape: 'oauth_metadata' | 'ucp_profile';
  readonly foundVia: 'ard' | 'ucp';
}

/** A server named by documents of other protocols: listed metadata, or the UCP profile. */
function namedElsewhere(seen: HostEvidence): NamedServer | undefined {
  const listed = listedResource(seen);
  if (listed) return { ...listed, shape: 'oauth_metadata', foundVia: 'ard' };
  const { profile, answer } = publishedProfile(seen) ?? {};
  const endpoint = profile && endpointOf(profile, 'mcp', seen);
  return answer && endpoint !== undefined
    ? { answer, endpoint, transport: 'streamable-http', shape: 'ucp_profile', foundVia: 'ucp' }
    : undefined;
}

/**
 * It counts if it answers like an MCP server. UCP over MCP needs no handshake; only a server with a handshake is also
 * an MCP server.
 */
function judgeNamed(seen: HostEvidence): Judgement | undefined {
  const named = namedElsewhere(seen);
  const handshake = named && readHandshake(named.endpoint, named.transport, seen);
  if (!handshake) return undefined;
  const { outcome, name, protocolVersions: versions } = handshake;
  const { auth } = readOauth(named.endpoint, handshake, seen);
  const answers = outcome === 'speaks' && (named.foundVia === 'ard' || name !== undefined || versions.length > 0);
  const asks = outcome === 'protected' && (named.foundVia === 'ard' || auth === 'oauth');
  if (!answers && !asks) return undefined;
  const { details, ...judgement } = judgeServer(named, [], seen);
  return { ...judgement, details: { ...details, shape: named.shape, foundVia: named.foundVia } };
}

function judgeServer(server: Declared, found: readonly FoundDocument[], seen: HostEvidence): Judgement {
  const { answer, endpoint, transport, document } = server;
  const handshake = readHandshake(endpoint, transport, seen);
  const { auth, issuers, findings, exchanges } = readOauth(endpoint, handshake, seen);
  const name = document?.document.name ?? handshake?.name ?? found.find((other) => other.document.name)?.document.name;
  const stated = document?.document.protocolVersions ?? [];
  const versions = protocolVersions([...stated, ...(handshake?.protocolVersions ?? [])]);
  const authRequired = handshake?.outcome === 'protected' && handshake.statusCode !== 402 ? true : server.authRequired;
  const catalogued = catalogueEntries(seen).length;
  const details = {
    name,
    keys: document?.document.keys,
    endpoint,
    transport,
    path: new URL(answer.url).pathname,
    foundVia: foundVia(answer, seen),
    truncated: answer.truncated && document ? true : undefined,
    shape: document?.document.shape ?? 'endpoint_path',
    serverCount: Math.max(document?.document.serverCount ?? 1, catalogued),
    protocolVersions: versions.length === 0 ? undefined : versions,
    authRequired,
    auth,
    issuers,
    endpointStatus: handshake?.statusCode,
    endpointFailure: handshake?.failure,
    endpointRedirectedTo: handshake?.redirectedTo,
  };
  return {
    status: 'present',
    version: versions[0] ?? null,
    details,
    findings: [...serverFindings(server, found, handshake), ...findings],
    decidedBy: [...new Set([answer, ...(handshake?.exchanges ?? []), ...exchanges])],
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
    ...findingsWhere([
      [isTemplate(endpoint), 'endpoint_template', endpoint],
      [transport === 'sse', 'legacy_transport', endpoint],
      [others.some((other) => other !== endpoint), 'endpoints_disagree', endpoint],
    ]),
    ...(handshake?.lacking ?? []).map((name) => ({ id: 'handshake_member_missing', at: `result.${name}` })),
    ...findingsWhere([[handshake?.outcome === 'dead', 'endpoint_unreachable', endpoint]]),
  ];
}

/**
 * MCP: the server with the tools of a host. Discovery is a draft whose paths and shapes changed several times;
 * behaviour 5.5.
 */
export const mcp = defineDetector({
  id: 'mcp',
  name: { short: 'MCP', long: 'Model Context Protocol' },
  spec: 'https://github.com/modelcontextprotocol/experimental-ext-server-card/blob/main/docs/discovery.md',
  rules: { release: '2026-07-28', checked: '2026-11-22' },
  gain: {
    priority: 2,
    effort: 'days',
    why: 'Agents read this document to find the tools of the host and where to call them.',
  },
  probes: [documentRequest(MCP_JSON), { ...documentRequest(SERVER_CARD), optional: true }, ARD_PROBE],
  followUps,
  exercises,
  judge: (seen) => withDocumentFaults(judge(seen), seen),
  advise: adviseMcp,
});
