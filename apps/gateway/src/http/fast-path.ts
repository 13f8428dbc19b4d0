import type { IncomingMessage, RequestListener, Server, ServerResponse, IncomingHttpHeaders } from 'node:http';
import { defined } from '@app/platform';
import type { FastifyInstance } from 'fastify';
import { COMMON_HEADERS } from './cross-origin';
import { refuseSocket } from './client-error';
import { RawReply, type AnswerReply } from './raw-reply';
import type { RateLimits } from './rate-limits';
import { requestIdOf } from './request-ids';
import { isIP } from 'node:net';

/** An answer in memory, or one row read away. */
export interface CachedAnswer {
  /** The route's name in metrics. */
  readonly route: string;
  /** Resolves to false without sending anything if the route has to answer. */
  readonly send: (reply: AnswerReply) => unknown;
}

export interface CachedAnswers {
  /** The cached answer to a GET; undefined leaves the request to its route. */
  readonly find: (request: IncomingMessage) => CachedAnswer | undefined;
}

export interface FastPathDeps {
  readonly caches: readonly CachedAnswers[];
  readonly limits: Pick<RateLimits, 'countRequest'>;
  readonly metrics: { answered(request: { method: string; route: string; status: number }, seconds: number): void };
  readonly drain: { readonly underWay: boolean };
  /** The caller's network address, behind trusted proxies. */
  readonly callerOf: (request: IncomingMessage) => string;
}

/**
 * Sends cached answers without the framework, whose path to a handler costs as much as the whole answer
 * (docs/performance.md). Limits, metrics and headers are the same as for other answers. All other requests, and those
 * above a limit, go to their route and are not counted twice ({@link countRequests}). Every request passes here first,
 * so this also checks its headers. Call it once the framework has created its server.
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

/** Requests that were counted here and then went to their route. */
const passedOn = new WeakMap<IncomingMessage, { readonly reply: RawReply; readonly error?: Error }>();

/**
 * Counts requests that reach the framework. If one already failed in the fast path, that error is its answer and it is
 * not tried again.
 */
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

/**
 * Whether a request has two Host headers, which makes it invalid (RFC 9112 section 3.2); Node.js shows only the first.
 */
function repeatsHost({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): boolean {
  return rawHeaders.filter((name, at) => at % 2 === 0 && name.toLowerCase() === 'host').length > 1;
}

/**
 * Reduces `X-Forwarded-For` to plain addresses. Some proxies append the port of each connection, and each port would
 * start new limits for the same caller. Entries before one that is not an address cannot be trusted and are dropped.
 */
export function keepAddresses(headers: IncomingHttpHeaders): void {
  const forwarded = headers['x-forwarded-for'];
  if (typeof forwarded !== 'string') return;
  const entries = forwarded.split(',').map(withoutPort);
  const known = entries.slice(entries.findLastIndex((entry) => isIP(entry) === 0) + 1);
  headers['x-forwarded-for'] = known.join(', ');
}

/** Drops the port of `192.0.2.1:80` and `[2001:db8::1]:80`, so that they count as the same caller. */
function withoutPort(entry: string): string {
  const [, v6, v4] = /^\s*(?:\[([0-9a-f:.]+)\](?::\d{1,5})?|([\d.]+):\d{1,5})\s*$/i.exec(entry) ?? [];
  return v6 ?? v4 ?? entry.trim();
}
