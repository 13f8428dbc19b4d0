import { leadsAway, movedPost } from '../evidence/endpoint-redirect';
import type { Answer, Exchange, ProbeRequest } from '../evidence/exchange';
import type { HostEvidence } from '../evidence/host-evidence';
import { asEndpoint } from '../evidence/reading';
import { isObject, member, readJson, type JsonValue } from '../formats/json';
import { findingsWhere, type Finding } from '../judgement/judgement';
import type { AgentCard, AgentInterface } from './card';

/**
 * The id of a nonexistent task. It is constant, so that its exchange is found again when stored evidence is
 * re-evaluated.
 */
const NO_TASK = '00000000-0000-4000-8000-000000000000';

const METHOD_NOT_FOUND = -32_601;

/** If a GET has one of these statuses, reading a task shows whether there is an agent. */
const WORTH_A_READ = new Set([400, 404, 405, 406, 415, 426]);

/** The result of probing the declared interface. */
type InterfaceState =
  | 'answers'
  | 'auth_required'
  | 'paid'
  | 'website' // a page for people instead of an agent
  | 'not_found' // no agent at the URL
  | 'down'
  | 'held_off'; // a rate limit or bot challenge prevented the probe

export interface InterfaceProbe {
  readonly url: string;
  /** The status of the last answer; undefined if there was none. */
  readonly status: number | undefined;
  readonly state: InterfaceState;
  readonly exchanges: readonly Exchange[];
}

interface Target {
  readonly url: string;
  readonly rpc: boolean;
  /** Whether it uses 1.0; older generations have other names for the method and the path. */
  readonly current: boolean;
}

/**
 * Requests that show whether the declared interface is an agent, without starting work: a GET, then reading a
 * nonexistent task, then once the same with the method name of the other generation. Messages are never sent, because
 * they create tasks.
 */
export function interfaceRequests(card: AgentCard, seen: HostEvidence): readonly ProbeRequest[] {
  const target = targetOf(card, seen);
  if (!target) return [];
  const get: ProbeRequest = { method: 'GET', url: target.url, accept: 'application/json, */*;q=0.1' };
  const first = seen.at(target.url);
  if (first?.kind !== 'answer' || !leadsToRead(first, target, seen)) return [get];
  const read = readRequest(target, target.current);
  const second = seen.at(read.url, read.method, read.body);
  const moved = target.rpc ? movedPost(second, seen) : undefined;
  if (moved !== undefined) return [get, read, { ...read, url: moved }];
  if (!target.rpc || second?.kind !== 'answer' || rpcErrorCode(second) !== METHOD_NOT_FOUND) return [get, read];
  return [get, read, readRequest(target, !target.current)];
}

/** The result of these requests; undefined if the interface got none. */
export function interfaceProbe(card: AgentCard, seen: HostEvidence): InterfaceProbe | undefined {
  const target = targetOf(card, seen);
  if (!target) return undefined;
  const exchanges = interfaceRequests(card, seen)
    .map(({ url, method, body }) => seen.at(url, method, body))
    .filter((exchange) => exchange !== undefined);
  const [get] = exchanges;
  const last = exchanges.at(-1);
  if (!get || !last) return undefined;
  // A page for a GET decides, unless the task request was answered by an agent.
  const decisive = stateOf(get, seen) === 'website' && stateOf(last, seen) !== 'answers' ? get : last;
  // If the GET requires a second request that was not made, the result is open, because most agents refuse GET.
  const cutShort = exchanges.length === 1 && get.kind === 'answer' && WORTH_A_READ.has(get.status);
  return {
    url: target.url,
    status: decisive.kind === 'answer' ? decisive.status : undefined,
    state: cutShort ? 'held_off' : stateOf(decisive, seen),
    exchanges,
  };
}

/** The findings of the probe. A bot wall is not the agent's fault, so it is not a finding. */
export function interfaceProbeFindings(card: AgentCard, probe: InterfaceProbe | undefined): readonly Finding[] {
  if (!probe) return [];
  const { state, url } = probe;
  const schemes = ['securitySchemes', 'security_schemes', 'authentication'];
  const declares = schemes.some((name) => member(card.members, name) !== undefined);
  return findingsWhere([
    [state === 'website', 'interface_is_website', url],
    [state === 'not_found' || state === 'down', 'interface_unreachable', url],
    [state === 'auth_required' && !declares, 'interface_auth_undeclared', url],
  ]);
}

/** The first interface that uses HTTP and is on the probed site, resolved against the card's URL. */
function targetOf(card: AgentCard, seen: HostEvidence): Target | undefined {
  for (const one of card.interfaces) {
    const url = isCallable(one) ? one.address : undefined;
    if (url === undefined || !seen.sameSite(url)) continue;
    return { url, rpc: one.binding === 'JSONRPC', current: card.generation === '1.0' && !isOlder(one) };
  }
  return undefined;
}

function isCallable({ url, binding }: AgentInterface): boolean {
  return (binding === 'JSONRPC' || binding === 'HTTP+JSON') && !/[{}<>]/.test(url);
}

/** A 1.0 card may contain an interface of an older generation. */
function isOlder({ protocolVersion }: AgentInterface): boolean {
  return protocolVersion?.startsWith('0.') ?? false;
}

function leadsToRead(answer: Answer, target: Target, seen: HostEvidence): boolean {
  if (WORTH_A_READ.has(answer.status)) return true;
  return leadsAway(answer, seen) !== undefined || (target.rpc && stateOf(answer, seen) === 'website');
}

function readRequest({ url, rpc }: Target, current: boolean): ProbeRequest {
  const headers = current ? { headers: { 'A2A-Version': '1.0' } } : {};
  if (rpc) {
    const method = current ? 'GetTask' : 'tasks/get';
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { id: NO_TASK } });
    return { method: 'POST', url, accept: 'application/json', body, ...headers };
  }
  const base = new URL(url);
  base.pathname = `${base.pathname.replace(/\/$/, '')}${current ? '' : '/v1'}/tasks/${NO_TASK}`;
  return { method: 'GET', url: base.href, accept: 'application/json', ...headers };
}

function stateOf(exchange: Exchange, seen: HostEvidence): InterfaceState {
  const reading = asEndpoint(seen.readingOf(exchange));
  if (exchange.kind === 'answer' && leadsAway(exchange, seen) !== undefined) return 'not_found';
  if (reading.kind === 'payment_required') return 'paid';
  if (reading.kind === 'blocked') {
    if (reading.reason === 'auth_required' || reading.reason === 'forbidden') return 'auth_required';
    return ['rate_limited', 'bot_challenge'].includes(reading.reason) ? 'held_off' : 'down';
  }
  if (reading.kind === 'unasked') return 'held_off';
  if (exchange.kind === 'failure') return 'down';
  if (rpcErrorCode(exchange) !== undefined) return 'answers';
  if (reading.kind === 'html') return 'website';
  if (reading.kind === 'missing') return isNoSuchTask(exchange, seen) ? 'answers' : 'not_found';
  if (exchange.status === 405 || reading.kind === 'redirect' || isForeignReply(exchange)) return 'not_found';
  return 'answers';
}

/**
 * A successful response to a JSON-RPC request that is not a JSON-RPC response (https://www.jsonrpc.org/specification
 * section 5).
 */
function isForeignReply({ method, status }: Answer): boolean {
  return method === 'POST' && status < 300;
}

/** The "no such task" answer of the HTTP+JSON binding, if it differs from the answer to nonexistent paths. */
function isNoSuchTask(answer: Answer, seen: HostEvidence): boolean {
  return answer.url.endsWith(`/tasks/${NO_TASK}`) && isObject(bodyOf(answer)) && !seen.isCatchAll(answer);
}

/** `error.code` of a JSON-RPC response, 0 for one with a result, undefined for anything else. */
function rpcErrorCode(answer: Answer): number | undefined {
  const body = bodyOf(answer);
  if (member(body, 'jsonrpc') !== '2.0') return undefined;
  const code = member(member(body, 'error'), 'code');
  if (typeof code === 'number') return code;
  return member(body, 'result') === undefined ? undefined : 0;
}

function bodyOf(answer: Answer): JsonValue | undefined {
  const reading = readJson(answer.body);
  return reading.ok ? reading.value : undefined;
}
