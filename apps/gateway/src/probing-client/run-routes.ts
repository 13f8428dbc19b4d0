import { orderOf } from '@app/queue';
import type { RunRepository } from '@app/storage';
import { HostInput, Text } from '../http/inputs';
import { defineRoute } from '../routes/define-route';
import { about, object, oneOf, text, url } from '../routes/json-schema';
import { json, response } from '../routes/responses';
import type { RunEvents } from './run-events';

const ID = '0f0e0d0c-0b0a-4009-8807-060504030201';
const EVENTS = `/api/v1/runs/${ID}/events`;
/** A run in progress. */
export const RUN = object({
  id: { ...text, format: 'uuid', description: 'The id of the run.' },
  status: oneOf(['queued', 'running']),
  events: about("The URL of the run's progress events.", { ...url, format: 'uri-reference' }),
});
const RUN_OR_NULL = object({ run: { anyOf: [RUN, { type: 'null' }] } });
const EVENT = 'event: asking\ndata: {"phase":"presence","protocols":["ucp","mcp"]}\n\n';

/** The services behind the run routes. */
export interface RunDeps {
  readonly runs: RunRepository;
  readonly events: RunEvents;
}

class RunParams {
  @Text('The id of the run.', { format: 'uuid' })
  id!: string;
}

const COMMON = { tag: 'hosts', headers: { 'cache-control': 'no-store' } } as const;

/** Behaviour 3.14: the running full probe of a host, and its progress. Free. */
export const RUN_ROUTES = [
  defineRoute({
    ...COMMON,
    route: 'GET /api/v1/hosts/:domain/run',
    input: HostInput,
    call: '/api/v1/hosts/example.com/run',
    operationId: 'run_under_way',
    summary: 'Get the running probe',
    description:
      "Returns the host's running paid full probe, or null if none is running. Free; does not start a probe.",
    answers: {
      200: response('The run.', [], json(RUN_OR_NULL, { run: { id: ID, status: 'running', events: EVENTS } })),
    },
    errors: [400],
    handle: async ({ runs }: RunDeps, { domain }) => {
      const run = await runs.underWay(orderOf({ kind: 'host', host: domain }).subject);
      return { run: run ? { id: run.id, status: run.status, events: `/api/v1/runs/${run.id}/events` } : null };
    },
  }),
  defineRoute({
    ...COMMON,
    route: 'GET /api/v1/runs/:id/events',
    input: RunParams,
    call: EVENTS,
    operationId: 'run_events',
    summary: 'Follow a probe',
    description:
      'Streams server-sent events until the run ends: `status`, `asking` (the protocols being checked, without results) and `end`, whose `skipped` says why a free probe was not made. Free.',
    answers: { 200: response('The events.', [], { 'text/event-stream': { schema: text, example: EVENT } }) },
    errors: [404],
    headers: { ...COMMON.headers, 'content-type': 'text/event-stream; charset=utf-8' },
    handle: ({ events }: RunDeps, { id }, { ip }) => events.follow(id, ip),
  }),
];
