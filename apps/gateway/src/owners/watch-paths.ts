import { list, object, open, text } from '../routes/json-schema';
import { describe, type DescribedRoute, type Paths } from '../routes/operation';
import { errorResponses, json, response, validatedAnswer } from '../routes/responses';
import { componentRef, type Members } from '../routes/schema';
import type { RotatedWatch, WatchState } from './watch-state';
import { WEBHOOK_KEYS_PATH } from './watches.controller';

const ID = '0f0e0d0c-0b0a-4009-8807-060504030201';
const id = { ...text, format: 'uuid', description: 'Of the watch.' };
const delivery = { ...text, description: 'The `webhook-id` of the alert.' };
const KEY_SET = object({ keys: list(open({ kty: text, crv: text, x: text, kid: text, use: text })) });
const REFUSED = {
  401: response('The key is not one of this watch.', ['WWW-Authenticate'], json(componentRef('schemas', 'Error'))),
};

const EXAMPLE: WatchState = {
  id: ID,
  domain: 'example.com',
  url: 'https://hooks.example.com/hostprobe',
  types: ['host.changed', 'host.payee_changed'],
  state: 'active',
  reason: null,
  createdAt: '2026-11-23T06:00:00.000Z',
  endsAt: '2026-12-08T06:00:00.000Z',
  failingSince: null,
  alertsLeft: null,
  deliveries: [
    {
      id: 'msg_0f0e0d0c0b0a40098807060504030201',
      type: 'host.changed',
      at: '2026-11-23T07:00:00.000Z',
      state: 'delivered',
      failures: 0,
      triedAt: '2026-11-23T07:00:01.000Z',
      outcome: '204',
      excerpt: '',
    },
  ],
  manage: `https://probe.example.com/api/v1/watches/${ID}`,
};
const ROTATED: RotatedWatch = { ...EXAMPLE, secret: `whsec_${'EXAMPLE'.repeat(6)}E=` };

/** Behaviour 19.8; how a watch is begun stands with what is sold. */
export function watchPaths(): Paths {
  const ofWatch = (
    operationId: string,
    [summary, description]: readonly [string, string],
    { below = '', method, answer = json(componentRef('schemas', 'Watch'), EXAMPLE) }: Below = {},
  ): DescribedRoute => ({
    path: `/api/v1/watches/:id${below}`,
    params: below.includes(':delivery') ? { id, delivery } : { id },
    call: `/api/v1/watches/${ID}${below}`,
    ...(method && { method }),
    ...{ operationId, summary, description, tag: 'hosts', security: [{ watchKey: [] }] },
    responses: { 200: response('The watch.', [], answer), ...REFUSED, ...errorResponses(404, 503) },
  });
  const rotate = 'Answers another secret; the former one signs, too, for a day. Free.';
  const rotated = json(componentRef('schemas', 'RotatedWatch'), ROTATED);
  return describe([
    ofWatch('show_watch', ['Show a watch', 'Its state and its last deliveries. Free.']),
    ofWatch('end_watch', ['End a watch', 'Ends it at once; nothing of it is kept. Free.'], { method: 'delete' }),
    ofWatch('change_watch_secret', ['Change the secret of a watch', rotate], {
      below: '/rotate',
      method: 'post',
      answer: rotated,
    }),
    ofWatch('replay_alert', ['Send an alert again', 'The same `webhook-id`, another time. Free.'], {
      below: '/deliveries/:delivery/replay',
      method: 'post',
    }),
    {
      path: WEBHOOK_KEYS_PATH,
      operationId: 'webhook_keys',
      summary: 'The keys that verify alerts',
      description: 'Ed25519 keys of signatures `v1a` of alerts, the one in use first.',
      tag: 'service',
      responses: {
        ...validatedAnswer('A JWK set.', { 'application/jwk-set+json': { schema: KEY_SET } }),
        ...errorResponses(),
      },
    },
  ]);
}

interface Below {
  /** Path below that of the watch. */
  readonly below?: string;
  readonly method?: 'post' | 'delete';
  readonly answer?: Members;
}
