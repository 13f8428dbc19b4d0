import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply } from 'fastify';

const GIVEN = /^[A-Za-z0-9_-]{8,64}$/;

/** No other process and no earlier start uses it. */
const START = randomUUID();
let requests = 0;

/** The id of a request, for its answer and for the log: the caller's own, or one that no other request has. */
export function requestIdOf(headers: IncomingHttpHeaders): string {
  const given = headers['request-id'];
  if (typeof given === 'string' && GIVEN.test(given)) return given;
  // Kept with the request, which is named before it comes to the framework and again there.
  return (headers['request-id'] = newRequestId());
}

/** For an answer on a connection that has no request. */
export function newRequestId(): string {
  return `${START}-${(requests += 1)}`;
}

/** Sets `Request-Id` on every answer that the framework sends. */
export function nameAnswers(fastify: Pick<FastifyInstance, 'addHook'>): void {
  fastify.addHook('onRequest', (_request, reply, done) => {
    nameAnswer(reply);
    done();
  });
}

/** The same for an answer that no hook comes before. */
export function nameAnswer(reply: FastifyReply): void {
  void reply.header('request-id', reply.request.id);
}
