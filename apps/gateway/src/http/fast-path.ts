import type { IncomingMessage, RequestListener, Server, ServerResponse, IncomingHttpHeaders } from 'node:http';
import { defined } from '@app/platform';
import type { FastifyInstance } from 'fastify';
import { COMMON_HEADERS } from './cross-origin';
import { refuseSocket } from './client-error';
import { RawReply, type AnswerReply } from './raw-reply';
import type { RateLimits } from './rate-limits';
import { requestIdOf } from './request-ids';
import { isIP } from 'node:net';

/** An answer that is in memory, or one row away. */
export interface CachedAnswer {
  /** Its route, as metrics name it. */
  readonly route: string;
  /** Resolves to false, having sent nothing, where its route has to answer. */
  readonly send: (reply: AnswerReply) => unknown;
}

export interface CachedAnswers {
  /** The answer to a GET; undefined for what is not ready, and is left to its route. */
  readonly find: (request: IncomingMessage) => CachedAnswer | undefined;
}

export interface FastPathDeps {
  readonly caches: readonly CachedAnswers[];
  readonly limits: Pick<RateLimits, 'countRequest'>;
  readonly metrics: { answered(request: { method: string; route: string; status: number }, seconds: number): void };
  readonly drain: { readonly underWay: boolean };
  /** Network address of the caller, after trusted proxies. */
  readonly callerOf: (request: IncomingMessage) => string;
}

/**
 * Sends what is ready without the framework, whose way to a handler costs as much as the whole answer
 * (docs/performance.md). Limits, metrics and headers are those of any other answer; every other request, and one that is
 * beyond a limit, goes to its route and is not counted again ({@link countRequests}). Every request passes here first, so
 * its head is checked here.
 * Call when the framework has its server.
 */
export function installFastPath(server: Server, deps: FastPathDeps): void {
  const [route] = server.listeners('request') as RequestListener[];
  if (!route) throw new Error('the server has no handler yet');
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (repeatsHost(request)) {
      refuseSocket(request.socket, 'bad_request', requestIdOf(request.headers));
      return;
    }
    keepAddresses(request.headers);
    try {
      if (
        request.method === 'GET' &&
        server.listening &&
        !deps.drain.underWay &&
        answer(deps, request, response, route)
      )
        return;
    } catch {
      if (response.headersSent) return void response.destroy();
    }
    route(request, response);
  });
}

/** Requests that were counted here and went to their route all the same. */
const passedOn = new WeakMap<IncomingMessage, { readonly reply: RawReply; readonly error?: Error }>();

/** Counts requests that come to the framework. What failed before one came to it is its answer, and is not tried again. */
export function countRequests(fastify: Pick<FastifyInstance, 'addHook'>, limits: FastPathDeps['limits']): void {
  fastify.addHook('onRequest', (request, reply, done) => {
    const before = passedOn.get(request.raw);
    before?.reply.copyTo(reply);
    const counted = before ? undefined : limits.countRequest(request, reply);
    if (!counted) done(before?.error);
    else
      counted.then(() => {
        done();
      }, done);
  });
}

function answer(
  deps: FastPathDeps,
  request: IncomingMessage,
  response: ServerResponse,
  route: RequestListener,
): boolean {
  const cached = cachedAnswerFor(deps, request);
  if (!cached) return false;
  const started = performance.now();
  const reply = new RawReply(request, response, COMMON_HEADERS);
  reply.header('request-id', requestIdOf(request.headers));
  const noteAnswer = (): void => {
    const { statusCode: status } = response;
    deps.metrics.answered({ method: 'GET', route: cached.route, status }, (performance.now() - started) / 1_000);
  };
  const send = (): Promise<void> | undefined => {
    const sending = cached.send(reply);
    if (sending instanceof Promise) {
      return sending.then((sent) => {
        if (sent === false) leave();
        else noteAnswer();
      });
    }
    noteAnswer();
    return undefined;
  };
  const leave = (error?: Error): void => {
    passedOn.set(request, { reply, ...defined({ error }) });
    route(request, response);
  };
  const counted = deps.limits.countRequest({ ip: deps.callerOf(request) }, reply);
  const sent = counted ? counted.then(send) : send();
  sent?.catch(leave);
  return true;
}

function cachedAnswerFor({ caches }: FastPathDeps, request: IncomingMessage): CachedAnswer | undefined {
  for (const { find } of caches) {
    const found = find(request);
    if (found) return found;
  }
  return undefined;
}

/** Whether a request names two hosts, which is no request (RFC 9112 section 3.2); Node.js hides all but the first. */
function repeatsHost({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean {
  return rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length > 1;
}

/**
 * Leaves nothing but addresses in `X-Forwarded-For`. Some proxies add the port of each connection, and with each port the
 * limits of a caller would begin again. What stands before an entry that is no address is nothing that can be relied on.
 */
export function keepAddresses(headers: IncomingHttpHeaders): void {
  const forwarded = headers['x-forwarded-for'];
  if (typeof forwarded !== 'string') return;
  const entries = forwarded.split(',').map(withoutPort);
  const known = entries.slice(entries.findLastIndex((entry) => isIP(entry) === 0) + 1);
  headers['x-forwarded-for'] = known.join(', ');
}

/** `192.0.2.1:80` and `[2001:db8::1]:80` name the same callers as without a port. */
function withoutPort(entry: string): string {
  const [, v6, v4] = /^\s*(?:\[([0-9a-f:.]+)\](?::\d{1,5})?|([\d.]+):\d{1,5})\s*$/i.exec(entry) ?? [];
  return v6 ?? v4 ?? entry.trim();
}
