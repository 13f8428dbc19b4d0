import { DIRECTORY_PATH, PROBER_PATH } from '@app/identity';
import { anyObject, list, object, open, text } from '../mcp/json-schema';
import type { Operation, Paths } from './operation';
import { json, refusals, response, type Responses } from './responses';
import { componentRef, type Members } from './schema';

const readiness = (status: string, database: string, worker: string): Members =>
  json(componentRef('schemas', 'Readiness'), { status, parts: { database, queue: 'up', worker, facilitator: 'up' } });

/** What the service says about its health and about its prober. */
export function servicePaths(): Paths {
  const keys = { 'application/http-message-signatures-directory+json': { schema: open({ keys: list(anyObject) }) } };
  const prefixes = json(object({ prefixes: list(text) }), { prefixes: ['192.0.2.0/24'] });
  return {
    '/health/live': free('live', 'Is the process alive', {
      200: response('It is.', [], json(componentRef('schemas', 'Liveness'), { status: 'ok' })),
    }),
    '/health/ready': free('ready', 'Can it serve', {
      200: response('Free reports can be served; `degraded` when paid ones cannot.', [], readiness('ok', 'up', 'up')),
      503: response('They cannot, or this process stops.', [], readiness('down', 'down', 'down')),
    }),
    [DIRECTORY_PATH]: free('signing_keys', 'The keys the prober signs its requests with', {
      200: response('A signed key directory (Web Bot Auth).', ['Signature', 'Signature-Input'], keys),
    }),
    [PROBER_PATH]: free('about_prober', 'About the prober', {
      200: response('For owners of hosts.', ['Content-Security-Policy'], { 'text/html': { schema: text } }),
    }),
    [`${PROBER_PATH}/egress.json`]: free('egress', 'Addresses that probes come from', {
      200: response('Ranges.', [], prefixes),
    }),
  };
}

function free(operationId: string, summary: string, responses: Responses): { readonly get: Operation } {
  return {
    get: { operationId, summary, tags: ['service'], security: [], responses: { ...refusals(), ...responses } },
  };
}
