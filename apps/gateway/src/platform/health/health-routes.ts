import { defineRoute } from '../../routes/define-route';
import { json, response } from '../../routes/responses';
import { componentRef, type Members } from '../../routes/schema';
import type { Health } from './health';

const readiness = (status: string, database: string, worker: string): Members =>
  json(componentRef('schemas', 'Readiness'), { status, parts: { database, queue: 'up', worker, facilitator: 'up' } });

/** For load balancers and `npm start`. Liveness checks no dependency; readiness checks all of them. */
export const HEALTH_ROUTES = [
  defineRoute({
    route: 'GET /health/live',
    operationId: 'live',
    summary: 'Liveness check',
    description: 'Liveness check for the process supervisor.',
    tag: 'service',
    answers: {
      200: response('The process is running.', [], json(componentRef('schemas', 'Liveness'), { status: 'ok' })),
    },
    handle: () => ({ status: 'ok' }),
  }),
  defineRoute({
    route: 'GET /health/ready',
    operationId: 'ready',
    summary: 'Readiness check',
    description: 'Readiness check for the load balancer.',
    tag: 'service',
    answers: {
      200: response(
        'Free reports can be served; `degraded` means that paid ones cannot.',
        [],
        readiness('ok', 'up', 'up'),
      ),
      503: response(
        'Free reports cannot be served, or this process is shutting down.',
        [],
        readiness('down', 'down', 'down'),
      ),
    },
    headers: { 'cache-control': 'no-store' },
    handle: async ({ health }: { readonly health: Health }, _, __, reply) => {
      const state = await health.state();
      if (state.status === 'down' || state.status === 'stopping') void reply.status(503);
      return state;
    },
  }),
];
