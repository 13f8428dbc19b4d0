import { describe, type DescribedRoute, type Paths } from '../../routes/operation';
import { json, errorResponses, response, type Responses } from '../../routes/responses';
import { componentRef, type Members } from '../../routes/schema';

const readiness = (status: string, database: string, worker: string): Members =>
  json(componentRef('schemas', 'Readiness'), { status, parts: { database, queue: 'up', worker, facilitator: 'up' } });

/** What the service says about its health. */
export function healthPaths(): Paths {
  return describe([
    ofHealth('live', 'Whether the process runs', {
      200: response('It runs.', [], json(componentRef('schemas', 'Liveness'), { status: 'ok' })),
    }),
    ofHealth('ready', 'Whether it can serve', {
      200: response('Free reports can be served; `degraded` when paid ones cannot.', [], readiness('ok', 'up', 'up')),
      503: response('Free reports cannot be served, or this process stops.', [], readiness('down', 'down', 'down')),
    }),
  ]);
}

function ofHealth(operationId: string, summary: string, responses: Responses): DescribedRoute {
  return {
    path: `/health/${operationId}`,
    operationId,
    summary,
    description: `${summary}, for what keeps it running.`,
    tag: 'service',
    responses: { ...errorResponses(), ...responses },
  };
}
