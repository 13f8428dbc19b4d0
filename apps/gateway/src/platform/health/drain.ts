import type { FastifyInstance } from 'fastify';

/**
 * The last seconds of a gateway that was told to stop: it serves on, says at `/health/ready` that it is not ready, and
 * ends every connection with the answer on it, so that load balancers and kept connections go elsewhere before the
 * port closes and no request meets a closed one.
 */
export class Drain {
  private begun = false;

  get underWay(): boolean {
    return this.begun;
  }

  begin(): void {
    this.begun = true;
  }

  observe(fastify: Pick<FastifyInstance, 'addHook'>): void {
    fastify.addHook('onSend', (_request, reply, payload, done) => {
      if (this.begun) void reply.header('connection', 'close');
      done(null, payload);
    });
  }
}
