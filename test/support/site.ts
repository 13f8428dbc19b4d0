import { HOST_INQUIRIES, HostEvidence, type Inquiry, type RequestPhase, type ProbeRequest } from '@app/detectors';
import { collectEvidence, type Session } from '../../libs/probing/src/evidence-collector';
import { exchange, html, status, type Reply } from './evidence';
import { hostName } from './probing';

/** The answers of a site by `METHOD url` or path; a function gets the request. */
export type Replies = Readonly<Record<string, Replying>>;
type Replying = Reply | ((request: ProbeRequest) => Reply);

/**
 * A complete probe of https://shop.example.com like the worker's, with its waves and budgets, but with answers from a
 * list instead of a socket. `rest` is the answer to all other requests, including the control pair.
 */
export async function probeSite(
  replies: Replies,
  rest: Replying = status(404),
  detectors: readonly Inquiry[] = HOST_INQUIRIES,
): Promise<HostEvidence> {
  const collected = await collectEvidence(
    hostName(),
    { detectors, phases: ['presence', 'callability'], signals: [] },
    answering({ '/': html(), ...replies }, rest),
    1,
  );
  return new HostEvidence(collected);
}

function answering(replies: Replies, rest: Replying): Session {
  const ask = (request: ProbeRequest, phase: RequestPhase) => {
    const url = new URL(request.url, 'https://shop.example.com');
    const path = url.host === 'shop.example.com' ? `${url.pathname}${url.search}` : url.href;
    const reply =
      replies[`${request.method} ${path}`] ?? (request.method === 'GET' ? replies[path] : undefined) ?? rest;
    const said = typeof reply === 'function' ? reply(request) : reply;
    return Promise.resolve(exchange(request.method, url.href, { ...said, phase }, request.body));
  };
  return {
    send: ask,
    sendPlainHttp: () => ask({ method: 'GET', url: 'http://shop.example.com/' }, 'presence'),
    requests: 0,
    stoppedBy: undefined,
  };
}
