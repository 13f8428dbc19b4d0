import { DETECTORS, HostEvidence, type Detector, type ProbePhase, type ProbeRequest } from '@app/detectors';
import { collectEvidence, type Asking } from '../../libs/probing/src/evidence-collector';
import { exchange, html, status, type Reply } from './evidence';
import { hostName } from './probing';

/** What a site answers, by `METHOD url` or by path; a function sees the request. */
export type Replies = Readonly<Record<string, Reply | ((request: ProbeRequest) => Reply)>>;

/**
 * A whole look at https://shop.example.com as the worker makes one, with its waves and budgets, but answered from a
 * list instead of a socket. `rest` is what the host says to everything else, nonsense included.
 */
export async function lookAtSite(
  replies: Replies,
  rest: Reply = status(404),
  detectors: readonly Detector[] = DETECTORS,
): Promise<HostEvidence> {
  const collected = await collectEvidence(
    hostName(),
    { detectors, phases: ['presence', 'callability'] },
    answering({ '/': html(), ...replies }, rest),
    1,
  );
  return new HostEvidence(collected);
}

function answering(replies: Replies, rest: Reply): Asking {
  const ask = (request: ProbeRequest, phase: ProbePhase) => {
    const url = new URL(request.url, 'https://shop.example.com');
    const path = url.host === 'shop.example.com' ? `${url.pathname}${url.search}` : url.href;
    const reply =
      replies[`${request.method} ${path}`] ?? (request.method === 'GET' ? replies[path] : undefined) ?? rest;
    const said = typeof reply === 'function' ? reply(request) : reply;
    return Promise.resolve(exchange(request.method, url.href, { ...said, phase }, request.body));
  };
  return {
    ask,
    askPlainHttp: () => ask({ method: 'GET', url: 'http://shop.example.com/' }, 'presence'),
    requests: 0,
    stoppedBy: undefined,
  };
}
