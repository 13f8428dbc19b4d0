import { defined } from '@app/platform';
import { leadsAway, movedPost } from '../../evidence/endpoint-redirect';
import type { Answer, Exchange, ProbeRequest } from '../../evidence/exchange';
import type { HostEvidence } from '../../evidence/host-evidence';
import { asEndpoint } from '../../evidence/reading';
import { isObject, list, member, text, type JsonValue } from '../../formats/json';
import {
  errorCode,
  isEventStream,
  isUcpError,
  namesResourceMetadata,
  protocolVersions,
  rpcMessage,
  versionsNamed,
} from './rpc';
import type { Transport } from './transport';

/** The newest release of the stateless and of the session-based generation of the protocol. */
const MODERN = '2026-07-28';
const LEGACY = '2025-11-25';

const CLIENT = { name: 'hostprobe', version: '1.0.0' };

/** How much of an answer is read: a discovery result has a few hundred bytes, and an open stream never ends. */
const MAX_BYTES = 65_536;
const MAX_STREAM_BYTES = 4_096;

const ACCEPT = 'application/json, text/event-stream';

const DISCOVER = JSON.stringify({
  jsonrpc: '2.0',
  id: 'discover',
  method: 'server/discover',
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': MODERN,
      'io.modelcontextprotocol/clientInfo': CLIENT,
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
});

/** Uses the newest version that the server named when it refused the first request. */
function initialize(url: string, seen: HostEvidence): string {
  const [protocolVersion = LEGACY] = versionsNamed(seen.at(url, 'POST', DISCOVER));
  const params = { protocolVersion, capabilities: {}, clientInfo: CLIENT };
  return JSON.stringify({ jsonrpc: '2.0', id: 'initialize', method: 'initialize', params });
}

/**
 * JSON-RPC errors that only servers of the stateless generation send: unsupported version, header mismatch, missing
 * capability.
 */
const MODERN_ERRORS: readonly number[] = [-32022, -32020, -32021];

/** The result of the handshake. */
export interface Handshake {
  /**
   * `speaks`: answered as MCP; `speaks_ucp`: as a UCP-over-MCP server, which may have no handshake; `protected`:
   * requires credentials or payment first; `dead`: not an MCP server.
   */
  readonly outcome: 'speaks' | 'speaks_ucp' | 'protected' | 'dead' | 'unknown';
  readonly exchanges: readonly Exchange[];
  /** HTTP status of the deciding answer; undefined if there was none. */
  readonly statusCode?: number;
  /** Why there was no answer. */
  readonly failure?: string;
  /** Host and path of the endpoint's redirect. */
  readonly redirectedTo?: string;
  readonly protocolVersions: readonly string[];
  readonly name?: string;
  /** Required fields that are missing in the result. */
  readonly lacking?: readonly string[];
}

type Step = 'discover' | 'initialize' | 'stream';

interface Observation extends Omit<Handshake, 'exchanges' | 'outcome'> {
  /** `next`: not this generation, but another one may be supported. */
  readonly outcome: Handshake['outcome'] | 'next';
}

/**
 * The next requests of the handshake, empty at its end: `server/discover`, then `initialize`, then the stream of the
 * first transport; for a server that declares `sse`, the stream comes first. Never calls tools or sends credentials.
 */
export function handshakeRequests(
  endpoint: string,
  transport: Transport | undefined,
  seen: HostEvidence,
): readonly ProbeRequest[] {
  const url = movedPost(exchangeOfStep('discover', endpoint, seen), seen) ?? endpoint;
  const step = stepsOf(transport).find((candidate) => {
    const exchange = exchangeOfStep(candidate, url, seen);
    return exchange === undefined || observe(candidate, exchange, seen).outcome !== 'next';
  });
  return step === undefined || exchangeOfStep(step, url, seen) ? [] : [requestOf(step, url, seen)];
}

/** The result of the requests so far; undefined if there were none. */
export function readHandshake(
  endpoint: string,
  transport: Transport | undefined,
  seen: HostEvidence,
): Handshake | undefined {
  const first = exchangeOfStep('discover', endpoint, seen);
  const moved = movedPost(first, seen);
  const url = moved ?? endpoint;
  const exchanges: Exchange[] = [];
  let last: Observation | undefined;
  for (const step of stepsOf(transport)) {
    const exchange = exchangeOfStep(step, url, seen);
    if (!exchange || (step === 'stream' && exchanges.length === 0 && exchange.phase === 'presence')) break;
    exchanges.push(exchange);
    last = observe(step, exchange, seen);
    if (last.outcome !== 'next') break;
  }
  if (!last) return undefined;
  // We only know that no generation is supported after trying all of them; the run may have ended before.
  const exhausted = exchanges.length === stepsOf(transport).length;
  const named = exchanges.flatMap(versionsNamed);
  // A server that names its versions counts, whatever its other answers are.
  const ended = named.length > 0 ? 'speaks' : exhausted ? 'dead' : 'unknown';
  const outcome = last.outcome === 'next' ? ended : last.outcome;
  const versions =
    last.protocolVersions.length > 0 || outcome !== 'speaks' ? last.protocolVersions : protocolVersions(named);
  return {
    ...last,
    outcome,
    protocolVersions: versions,
    exchanges: moved && first ? [first, ...exchanges] : exchanges,
  };
}

function stepsOf(transport: Transport | undefined): readonly Step[] {
  return transport === 'sse' ? ['stream', 'discover', 'initialize'] : ['discover', 'initialize', 'stream'];
}

function requestOf(step: Step, url: string, seen: HostEvidence): ProbeRequest {
  if (step === 'stream') return { method: 'GET', url, accept: 'text/event-stream', maxBytes: MAX_STREAM_BYTES };
  const content = { 'Content-Type': 'application/json' };
  return step === 'discover'
    ? {
        method: 'POST',
        url,
        accept: ACCEPT,
        headers: { ...content, 'MCP-Protocol-Version': MODERN, 'Mcp-Method': 'server/discover' },
        body: DISCOVER,
        maxBytes: MAX_BYTES,
      }
    : { method: 'POST', url, accept: ACCEPT, headers: content, body: initialize(url, seen), maxBytes: MAX_BYTES };
}

function exchangeOfStep(step: Step, url: string, seen: HostEvidence): Exchange | undefined {
  if (step === 'stream') return seen.at(url);
  return seen.at(url, 'POST', step === 'discover' ? DISCOVER : initialize(url, seen));
}

function observe(step: Step, exchange: Exchange, seen: HostEvidence): Observation {
  if (exchange.kind === 'failure') {
    const outcome = exchange.reason === 'budget_spent' ? 'unknown' : 'dead';
    return { outcome, failure: exchange.reason, protocolVersions: [] };
  }
  const base = { statusCode: exchange.status, protocolVersions: [] };
  if (namesResourceMetadata(exchange) || exchange.status === 402) return { ...base, outcome: 'protected' };
  const spoken = step === 'stream' ? observeStream(exchange) : observeRpc(step, exchange);
  if (spoken) return { ...base, ...spoken };
  // Endpoints redirect browsers, which use GET, to a page.
  const redirectedTo = leadsAway(exchange, seen);
  if (redirectedTo !== undefined) return { ...base, outcome: step === 'stream' ? 'next' : 'dead', redirectedTo };
  const reading = asEndpoint(seen.readingOf(exchange));
  if (reading.kind === 'blocked') {
    if (reading.reason === 'auth_required') return { ...base, outcome: 'protected' };
    return { ...base, outcome: reading.reason === 'server_error' ? 'dead' : 'unknown' };
  }
  return { ...base, outcome: 'next' };
}

function observeStream(answer: Answer): Pick<Observation, 'outcome'> | undefined {
  return answer.status === 200 && isEventStream(answer) ? { outcome: 'speaks' } : undefined;
}

/** Parses the JSON-RPC answer to a POST; undefined if there is none, or only "method not found" for the first one. */
function observeRpc(step: Step, answer: Answer): (Pick<Observation, 'outcome'> & Partial<Observation>) | undefined {
  const message = rpcMessage(answer);
  if (!message) return undefined;
  if (isUcpError(message)) return { outcome: 'speaks_ucp' };
  const result = message['result'];
  const info = member(member(result, '_meta'), 'io.modelcontextprotocol/serverInfo') ?? member(result, 'serverInfo');
  const name = text(member(info, 'title')) ?? text(member(info, 'name'));
  const data = member(message['error'], 'data');
  const versions = protocolVersions([
    ...(list(member(result, 'supportedVersions')) ?? []),
    ...(list(member(data, 'supported')) ?? []),
    member(result, 'protocolVersion'),
  ]);
  const lacking = lackingOf(result, info);
  const spoken = { outcome: 'speaks', protocolVersions: versions, lacking, ...defined({ name }) } as const;
  if (versions.length > 0 || info !== undefined) return spoken;
  const code = errorCode(message);
  if (code === undefined) return undefined;
  return step === 'initialize' || MODERN_ERRORS.includes(code) ? spoken : undefined;
}

/**
 * Both generations require the capabilities and the server's name
 * (https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle).
 */
function lackingOf(result: JsonValue | undefined, info: JsonValue | undefined): readonly string[] {
  if (result === undefined) return [];
  const capabilities = member(result, 'capabilities');
  const known = isObject(capabilities) && Object.values(capabilities).every(isObject);
  const named = ['name', 'version'].every((part) => text(member(info, part)) !== undefined);
  return [...(known ? [] : ['capabilities']), ...(named ? [] : ['serverInfo'])];
}
