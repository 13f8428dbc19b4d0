import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyReply } from 'fastify';

const GIVEN = /^[A-Za-z0-9_-]{8,64}$/;

/** Unique to this start of this process. */
const START = randomUUID();
let requests = 0;

/** The id of a request in its answer and in the log: the one the caller sent, or a new unique one. */
export function requestIdOf(headers: IncomingHttpHeaders): string {
  const given = headers['request-id'];
  if (typeof given === 'string' && GIVEN.test(given)) return given;
  // Stored in the headers, because the id is needed before and inside the framework.
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

/** The same for an answer that is sent without hooks. */
export function nameAnswer(reply: FastifyReply): void {
  void reply.header('request-id', reply.request.id);
}
