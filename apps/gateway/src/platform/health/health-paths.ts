import type { Operation, Paths } from '../../routes/operation';
import { json, errorResponses, response, type Responses } from '../../routes/responses';
import { componentRef, type Members } from '../../routes/schema';

const readiness = (status: string, database: string, worker: string): Members =>
  json(componentRef('schemas', 'Readiness'), { status, parts: { database, queue: 'up', worker, facilitator: 'up' } });

/** What the service says about its health. */
export function healthPaths(): Paths {
  return {
    '/health/live': free('live', 'Whether the process runs', {
      200: response('It runs.', [], json(componentRef('schemas', 'Liveness'), { status: 'ok' })),
    }),
    '/health/ready': free('ready', 'Whether it can serve', {
      200: response('Free reports can be served; `degraded` when paid ones cannot.', [], readiness('ok', 'up', 'up')),
      503: response('Free reports cannot be served, or this process stops.', [], readiness('down', 'down', 'down')),
    }),
  };
}

function free(operationId: string, summary: string, responses: Responses): { readonly get: Operation } {
  return {
    get: {
      operationId,
      summary,
      description: `${summary}, for what keeps it running.`,
      tags: ['service'],
      security: [],
      responses: { ...errorResponses(), ...responses },
    },
  };
}
