import { header, type Answer, type Exchange } from '../exchange';
import type { HostEvidence } from '../host-evidence';
import { announcesPostEndpoint, isEventStream, namesResourceMetadata, rpcMessage } from './rpc';
import type { Transport } from './transport';

/** A discovery path that is the MCP endpoint itself: rewritten to the server, it answers a GET as a server does. */
export interface EndpointPath {
  readonly answer: Answer;
  readonly transport: Transport;
  /** Set when the path asked for credentials; a refused GET shows nothing of what a POST needs. */
  readonly authRequired?: true;
}

/**
 * Recognises an MCP server behind a discovery path. Servers refuse a bare GET in several ways (405, 406, 400 with a
 * JSON-RPC error) or open a stream; what the host says to nonsense as well proves nothing.
 */
export function endpointPath(exchange: Exchange | undefined, seen: HostEvidence): EndpointPath | undefined {
  if (exchange?.kind !== 'answer' || seen.isHabitual(exchange)) return undefined;
  const answer = exchange;
  if (namesResourceMetadata(answer)) return { answer, transport: 'streamable-http', authRequired: true };
  if (seen.readingOf(answer).kind === 'blocked') return undefined;
  if (isEventStream(answer) && answer.status === 200) {
    return { answer, transport: announcesPostEndpoint(answer) ? 'sse' : 'streamable-http' };
  }
  if (!rpcMessage(answer) && !refusesLikeServer(answer)) return undefined;
  return { answer, transport: 'streamable-http' };
}

function refusesLikeServer(answer: Answer): boolean {
  if (answer.status === 405) return /\bPOST\b/i.test(header(answer, 'allow') ?? 'POST');
  return answer.status === 406 && /event-stream/i.test(answer.body.slice(0, 4_096));
}
