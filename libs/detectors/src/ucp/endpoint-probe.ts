import type { Answer, Exchange, Failure, FailureReason, ProbeRequest } from '../evidence/exchange';
import { isBehindAnswer } from '../evidence/ending';
import { leadsAway } from '../evidence/endpoint-redirect';
import type { HostEvidence } from '../evidence/host-evidence';
import { asEndpoint, isUnseen, type BlockReason } from '../evidence/reading';
import { isObject, member, text } from '../formats/json';
import type { Finding } from '../judgement/judgement';
import { isChainFault } from '../evidence/wildcard-redirect';
import { handshakeRequests, readHandshake } from '../mcp/handshake/handshake';
import { TRANSPORTS, type Profile, type Transport } from './profile';
import { endpointOf } from './published-profile';

const ACCEPT = 'application/json, */*;q=0.1';

/**
 * The result of an endpoint. `speaks`: answered as UCP over MCP; `protected`: requires a client certificate, which the
 * prober does not have; `unknown`: refused the handshake, which may mean the same.
 */
type EndpointState = 'speaks' | 'reachable' | 'protected' | 'unknown' | 'unreachable';

/** Answers of a wall, which treats agents like the prober. */
const WALLS: readonly BlockReason[] = ['bot_challenge', 'forbidden', 'rate_limited', 'block_page', 'waiting_room'];

/** Failures without a sent request. */
const UNASKED: readonly FailureReason[] = ['budget_spent', 'bot_challenge'];

/**
 * Harmless requests for a profile: the REST base (404 and 405 are normal there), the handshake of the MCP endpoint, and
 * the A2A endpoint, which is the URL of an agent card. No tools are called and no checkout is created.
 */
export function endpointRequests(profile: Profile, seen: HostEvidence): readonly ProbeRequest[] {
  const reads = [endpointOf(profile, 'rest', seen), endpointOf(profile, 'a2a', seen)].filter(
    (url) => url !== undefined,
  );
  const mcp = endpointOf(profile, 'mcp', seen);
  const handshake = mcp === undefined ? [] : handshakeRequests(mcp, 'streamable-http', seen);
  return [
    ...reads.map((url): ProbeRequest => ({ method: 'GET', url, accept: ACCEPT })),
    // UCP does not use the event stream of the oldest transport.
    ...handshake.filter(({ method }) => method === 'POST'),
  ];
}

/** HTTP status of the REST base, if it answered. */
export function endpointStatus(profile: Profile, seen: HostEvidence): number | undefined {
  const url = endpointOf(profile, 'rest', seen);
  const exchange = url === undefined ? undefined : seen.at(url);
  return exchange?.kind === 'answer' ? exchange.status : undefined;
}

/** The result for each transport whose endpoint was requested; undefined if there was none. */
export function endpointStates(
  profile: Profile,
  seen: HostEvidence,
): Readonly<Partial<Record<Transport, EndpointState>>> | undefined {
  const states = TRANSPORTS.flatMap((transport) => {
    const url = endpointOf(profile, transport, seen);
    const state = url === undefined ? undefined : stateAt(transport, url, seen);
    return state === undefined ? [] : [[transport, state] as const];
  });
  return states.length === 0 ? undefined : Object.fromEntries(states);
}

export function endpointFindings(profile: Profile, seen: HostEvidence): readonly Finding[] {
  return TRANSPORTS.flatMap((transport) => {
    const url = endpointOf(profile, transport, seen);
    if (url === undefined) return [];
    const state = stateAt(transport, url, seen);
    if (isWalled(transport, url, seen)) return [{ id: 'endpoint_walled', at: url }];
    if (state === 'unreachable') return [{ id: 'endpoint_unreachable', at: url }];
    if (state === 'unknown') return [{ id: 'endpoint_state_unknown', at: url }];
    return transport === 'a2a' && isNoCard(url, seen) ? [{ id: 'a2a_endpoint_not_a_card', at: url }] : [];
  });
}

function stateAt(transport: Transport, url: string, seen: HostEvidence): EndpointState | undefined {
  if (transport !== 'mcp') return stateOf([seen.at(url)], seen);
  const handshake = readHandshake(url, 'streamable-http', seen);
  if (handshake?.outcome === 'speaks' || handshake?.outcome === 'speaks_ucp') return 'speaks';
  return stateOf(handshake?.exchanges ?? [], seen);
}

function isWalled(transport: Transport, url: string, seen: HostEvidence): boolean {
  const handshake = transport === 'mcp' ? readHandshake(url, 'streamable-http', seen) : undefined;
  const exchange = transport === 'mcp' ? handshake?.exchanges.at(-1) : seen.at(url);
  if (exchange?.kind !== 'answer' || ['speaks', 'speaks_ucp', 'protected'].includes(handshake?.outcome ?? ''))
    return false;
  const reading = asEndpoint(seen.readingOf(exchange));
  return reading.kind === 'blocked' && WALLS.includes(reading.reason);
}

/**
 * The result of the last exchange. The first one may redirect elsewhere, and so may a POST, which clients do not
 * repeat.
 */
function stateOf(exchanges: readonly (Exchange | undefined)[], seen: HostEvidence): EndpointState | undefined {
  const last = exchanges.at(-1);
  if (!last) return undefined;
  if (last.kind === 'failure') return stateOfFailure(last);
  if (wantsCertificate(last)) return 'protected';
  const isAway = exchanges.some((one) => one?.kind === 'answer' && leadsAway(one, seen) !== undefined);
  return isAway || last.status >= 500 || seen.readingOf(last).kind === 'redirect' ? 'unreachable' : 'reachable';
}

/** If we refuse the host's certificate, that is no sign that it wants one. */
function stateOfFailure({ reason, detail }: Failure): EndpointState | undefined {
  if (UNASKED.includes(reason)) return undefined;
  if (detail === 'client_certificate') return 'protected';
  if (detail === 'handshake_refused') return 'unknown';
  return isBehindAnswer(reason) && !isChainFault(reason) ? 'reachable' : 'unreachable';
}

/** nginx reports it after the handshake, with status 400 outside and 495 or 496 internally. */
function wantsCertificate({ status, body }: Answer): boolean {
  if (status === 495 || status === 496) return true;
  return status === 400 && /No required SSL certificate was sent/i.test(body.slice(0, 4_096));
}

/** Whether the URL has a document that is not an agent card. A blocked request does not count. */
function isNoCard(url: string, seen: HostEvidence): boolean {
  const reading = seen.read(url);
  if (reading.kind === 'unasked' || isUnseen(reading)) return false;
  return reading.kind !== 'json' || !isObject(reading.value) || text(member(reading.value, 'name')) === undefined;
}
