import { once } from 'node:events';
import { traced } from '@app/platform';
import type { FastifyInstance } from 'fastify';

/** Makes each handler's work a span that goes on with the trace of its caller. Answers from memory have none. */
export function traceRequests(fastify: Pick<FastifyInstance, 'addHook'>): void {
  fastify.addHook('preHandler', (request, reply, done) => {
    const { method, headers, routeOptions } = request;
    const route = routeOptions.url ?? '*';
    const attributes = { 'http.request.method': method, 'http.route': route };
    const work = async (note: (added: Readonly<Record<string, number>>) => void): Promise<void> => {
      done();
      await once(reply.raw, 'close');
      note({ 'http.response.status_code': reply.statusCode });
    };
    const parent = [headers['traceparent']].flat()[0];
    void traced(`${method} ${route}`, attributes, work, parent);
  });
}
