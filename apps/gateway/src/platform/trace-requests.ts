import { traced } from '@app/platform';
import type { FastifyInstance } from 'fastify';

/** Records a span for each request that reaches a handler, as part of its caller's trace. Cached answers get no span. */
export function traceRequests(fastify: Pick<FastifyInstance, 'addHook'>): void {
  fastify.addHook('preHandler', (request, reply, done) => {
    const { method, headers, routeOptions } = request;
    const route = routeOptions.url ?? '*';
    const attributes = { 'http.request.method': method, 'http.route': route };
    const parent = [headers['traceparent']].flat()[0];
    void traced(
      `${method} ${route}`,
      attributes,
      (note) =>
        new Promise<void>((resolve) => {
          // Never rejects: a broken connection must not count as an unhandled rejection of the request.
          reply.raw.once('close', () => {
            note({ 'http.response.status_code': reply.statusCode });
            resolve();
          });
          done();
        }),
      parent,
    );
  });
}
