import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Socket } from 'node:net';

/**
 * Drains a stopping gateway: it keeps serving for a few seconds, reports "not ready" at `/health/ready`, and closes
 * each connection after its answer. Load balancers and clients then connect elsewhere before the port closes, so that
 * no request fails.
 */
export class Drain {
  private begun = false;
  private readonly newest = new WeakMap<Socket, FastifyRequest>();

  get underWay(): boolean {
    return this.begun;
  }

  begin(): void {
    this.begun = true;
  }

  observe(fastify: Pick<FastifyInstance, 'addHook'>): void {
    fastify.addHook('onRequest', (request, _reply, done) => {
      this.newest.set(request.raw.socket, request);
      done();
    });
    fastify.addHook('onSend', (request, reply, payload, done) => {
      // Answers are sent in the order of their requests, so only the newest request may end the connection.
      if (this.begun && this.newest.get(request.raw.socket) === request) void reply.header('connection', 'close');
      done(null, payload);
    });
  }
}
