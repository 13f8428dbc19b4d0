import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Socket } from 'node:net';

/**
 * The last seconds of a gateway that was told to stop: it serves on, says at `/health/ready` that it is not ready, and
 * ends every connection with the answer on it, so that load balancers and kept connections go elsewhere before the
 * port closes and no request meets a closed one.
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
      // Answers go out in the order of their requests: an earlier one must not end the connection before a later one.
      if (this.begun && this.newest.get(request.raw.socket) === request) void reply.header('connection', 'close');
      done(null, payload);
    });
  }
}
