import { header, type Answer, type Exchange } from '../evidence/exchange';
import type { HostEvidence } from '../evidence/host-evidence';
import { onceEach } from '../evidence/once-each';
import { announcesPostEndpoint, isEventStream, isUcpError, namesResourceMetadata, rpcMessage } from './handshake/rpc';
import type { Transport } from './handshake/transport';

/** A discovery path that is the MCP endpoint itself: rewritten to the server, it answers a GET as a server does. */
interface EndpointPath {
  readonly answer: Answer;
  readonly transport: Transport;
  /** Set when the path asked for credentials; a refused GET shows nothing of what a POST needs. */
  readonly authRequired?: true;
}

/**
 * Recognises an MCP server behind a discovery path. Servers refuse a bare GET in several ways (405, 406, 400 with a
 * JSON-RPC error) or open a stream; what the host says to nonsense as well proves nothing, in whatever words.
 */
export function endpointPath(exchange: Exchange | undefined, seen: HostEvidence): EndpointPath | undefined {
  if (exchange?.kind !== 'answer' || seen.isHabitual(exchange)) return undefined;
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
