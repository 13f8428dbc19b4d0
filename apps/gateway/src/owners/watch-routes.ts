import { ALERT_TYPES, type AlertType } from '@app/owners';
import { defined, without } from '@app/platform';
import { IsString } from 'class-validator';
import { bearerKey } from '../http/bearer';
import { Described, OneOfEach, Optional, PageInput, Text } from '../http/inputs';
import { watchPath, WATCHES } from '../http/paths';
import { PRIVATE, publishedJson, sendPublished } from '../http/published';
import type { RateLimits } from '../http/rate-limits';
import { defineRoute } from '../routes/define-route';
import { list, object, open, text } from '../routes/json-schema';
import { conflict, ENDED, json, keyRefused, response, validatedAnswer, type Responses } from '../routes/responses';
import { componentRef } from '../routes/schema';
import { RotatedWatch, WatchList, WatchState } from './watch-state';
import { readReceiver, readTypes, type Watches } from './watches';

const ID = '0f0e0d0c-0b0a-4009-8807-060504030201';
const WATCH = watchPath({ id: ID });
const KEY_SET = object({ keys: list(open({ kty: text, crv: text, x: text, kid: text, use: text })) });
const EXAMPLE: WatchState = {
  id: ID,
  domain: 'example.com',
  url: 'https://hooks.example.com/hostprobe',
  types: ['host.changed', 'host.payee_changed'],
  status: 'active',
  reason: null,
  createdAt: '2026-11-23T06:00:00.000Z',
  endsAt: '2026-12-08T06:00:00.000Z',
  failingSince: null,
  alertsLeft: null,
  deliveries: [
    {
      id: 'msg_0f0e0d0c0b0a40098807060504030201',
      type: 'host.changed',
      createdAt: '2026-11-23T07:00:00.000Z',
      status: 'delivered',
      failures: 0,
      triedAt: '2026-11-23T07:00:01.000Z',
      outcome: '204',
      excerpt: '',
    },
  ],
  manage: `https://probe.example.com${WATCH}`,
};
const LIST: WatchList = { watches: [without(EXAMPLE, 'deliveries')] };
const ROTATED: RotatedWatch = { ...EXAMPLE, secret: `whsec_${'EXAMPLE'.repeat(6)}E=` };

/** The services behind the watch routes. */
export interface WatchDeps {
  readonly watches: Watches;
  readonly rateLimits: RateLimits;
}

class WatchParams {
  @Text('The id of the watch.', { format: 'uuid' })
  id!: string;
}

/** The changeable fields of a watch. */
class WatchChange extends WatchParams {
  @Described(
    'The new webhook URL: https on port 443, without a user name or password. It must answer a challenge first.',
    {
      format: 'uri',
      maxLength: 2_048,
    },
  )
  @Optional()
  @IsString()
  url?: string;

  @Described('The types of alerts to send.', { type: 'array', items: { type: 'string', enum: ALERT_TYPES } })
  @Optional()
  @OneOfEach(ALERT_TYPES)
  types?: readonly AlertType[];
}

class DeliveryParams extends WatchParams {
  @Text('The `webhook-id` of the alert.')
  delivery!: string;
}

const answer = (name: string, example: WatchState): Responses => ({
  200: response('The watch.', [], json(componentRef('schemas', name), example)),
  ...KEY_REFUSED,
});

const KEY_REFUSED = { 401: keyRefused('Wrong key for this watch.') };

const OF_WATCH = {
  tag: 'hosts',
  security: [{ watchKey: [] }],
  components: { Watch: WatchState, WatchList, RotatedWatch },
  answers: answer('Watch', EXAMPLE),
  errors: [404, 503],
  headers: PRIVATE,
} as const;

/**
 * Behaviour 19.8: routes for existing watches, each with its own key. Watches are created by a product
 * (products/watch.ts).
 */
export const WATCH_ROUTES = [
  defineRoute({
    ...OF_WATCH,
    route: `GET ${WATCHES}`,
    input: PageInput,
    security: [{ claimKey: [] }, { subscriptionKey: [] }, { watchKey: [] }],
    operationId: 'list_watches',
    summary: 'List watches',
    description:
      'Returns the watches created with a claim or subscription key, or the watch of a watch key. Deliveries are not included. Free.',
    answers: {
      200: response('The watches.', [], json(componentRef('schemas', 'WatchList'), LIST)),
      401: keyRefused('Not a key of a claim, a subscription or a watch.'),
    },
    errors: [400],
    handle: ({ watches }: WatchDeps, page, request) => watches.list(bearerKey(request), page),
  }),
  defineRoute({
    ...OF_WATCH,
    route: 'GET /api/v1/watches/:id',
    input: WatchParams,
    call: WATCH,
    operationId: 'show_watch',
    summary: 'Show a watch',
    description: 'Returns the watch and its latest deliveries. Free.',
    handle: ({ watches }: WatchDeps, { id }, request) => watches.show(id, bearerKey(request)),
  }),
  defineRoute({
    ...OF_WATCH,
    route: 'PATCH /api/v1/watches/:id',
    input: WatchChange,
    call: WATCH,
    body: { types: ['host.payee_changed'] },
    operationId: 'change_watch',
    summary: 'Change a watch',
    description:
      'Changes the receiver or the alert types of a watch; omitted fields stay unchanged. A new receiver first gets `endpoint.verify` and must answer its challenge. Free.',
    answers: { ...answer('Watch', EXAMPLE), 409: conflict('The watch has ended.') },
    errors: [400, 413, 415],
    handle: async ({ watches, rateLimits }: WatchDeps, { id, url, types }, request, reply) => {
      const receiver = url === undefined ? undefined : readReceiver(url);
      const wanted = defined({ url: receiver, types: types && readTypes(types) });
      await rateLimits.countWatch(request, reply);
      return watches.change(id, bearerKey(request), wanted);
    },
  }),
  defineRoute({
    ...OF_WATCH,
    route: 'DELETE /api/v1/watches/:id',
    status: 204,
    input: WatchParams,
    call: WATCH,
    operationId: 'end_watch',
    summary: 'End a watch',
    description: 'Ends the watch immediately and deletes its data. Free.',
    answers: { ...ENDED, ...KEY_REFUSED },
    handle: ({ watches }: WatchDeps, { id }, request) => watches.end(id, bearerKey(request)),
  }),
  defineRoute({
    ...OF_WATCH,
    route: 'POST /api/v1/watches/:id/rotate',
    input: WatchParams,
    call: `${WATCH}/rotate`,
    operationId: 'rotate_watch_secret',
    summary: 'Rotate the secret of a watch',
    description: 'Returns a new secret. For one day, alerts are signed with both the old and the new secret. Free.',
    answers: answer('RotatedWatch', ROTATED),
    handle: ({ watches }: WatchDeps, { id }, request) => watches.rotate(id, bearerKey(request)),
  }),
  defineRoute({
    ...OF_WATCH,
    route: 'POST /api/v1/watches/:id/deliveries/:delivery/replay',
    input: DeliveryParams,
    call: `${WATCH}/deliveries/:delivery/replay`,
    operationId: 'replay_alert',
    summary: 'Send an alert again',
    description: 'Sends the alert again with the same `webhook-id`. Free.',
    handle: async ({ watches, rateLimits }: WatchDeps, { id, delivery }, request, reply) => {
      await rateLimits.countWatch(request, reply);
      return watches.replay(id, bearerKey(request), delivery);
    },
  }),
  defineRoute({
    route: 'GET /.well-known/hostprobe-webhook-keys.json',
    operationId: 'webhook_keys',
    summary: 'Public keys that verify alerts',
    description: 'Ed25519 keys for the `v1a` signatures of alerts, current key first.',
    tag: 'service',
    answers: validatedAnswer('A JWK set.', { 'application/jwk-set+json': { schema: KEY_SET } }),
    handle: async ({ watches }: WatchDeps) => publishedJson(await watches.keySet(), 'application/jwk-set+json'),
    send: sendPublished,
  }),
];
