import { about, object, oneOf, text, url } from '../routes/json-schema';
import { describe, type Paths } from '../routes/operation';
import { errorResponses, json, response } from '../routes/responses';
import { DOMAIN_SCHEMA as domain } from '../http/inputs';

const ID = '0f0e0d0c-0b0a-4009-8807-060504030201';
const EVENTS = `/api/v1/runs/${ID}/events`;
const id = { ...text, format: 'uuid', description: 'Of the run.' };
/** A run that is under way. */
export const RUN = object({
  id,
  status: oneOf(['queued', 'running']),
  events: about('Address of its progress.', { ...url, format: 'uri-reference' }),
});

/** Behaviour 3.14. */
export function runPaths(): Paths {
  const underWay = json(object({ run: { anyOf: [RUN, { type: 'null' }] } }), {
    run: { id: ID, status: 'running', events: EVENTS },
  });
  const events = { schema: text, example: 'event: asking\ndata: {"phase":"presence","protocols":["ucp","mcp"]}\n\n' };
  return describe([
    {
      path: '/api/v1/hosts/:domain/run',
      params: { domain },
      call: '/api/v1/hosts/example.com/run',
      operationId: 'run_under_way',
      summary: 'The probe of a host that is under way',
      description: 'The full probe that somebody bought and that is not over, or null. Free, and starts no probe.',
      tag: 'hosts',
      responses: { 200: response('The run.', [], underWay), ...errorResponses(400) },
    },
    {
      path: '/api/v1/runs/:id/events',
      params: { id },
      call: EVENTS,
      operationId: 'run_events',
      summary: 'The progress of a probe',
      description:
        'Server-sent events that end with the run: `status`, `asking` (which protocols are asked for, never what was found), `end`, whose `skipped` is `robots_txt` when the host asks us to stay away. Free.',
      tag: 'hosts',
      responses: { 200: response('The events.', [], { 'text/event-stream': events }), ...errorResponses(404) },
    },
  ]);
}
