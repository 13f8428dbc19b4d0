import type { SubscriptionRepository } from '@app/storage';
import { keyHash, newKey } from '@app/owners';
import { credentialOf, walletOf } from '../checkout/credential';
import type { Subscribers } from '../checkout/subscribers';
import { HostInput } from '../http/inputs';
import { PRIVATE } from '../http/published';
import { RequestError } from '../http/request-error';
import { defineRoute } from '../routes/define-route';
import { SUBSCRIBER } from '../routes/parameters';
import { answer } from '../routes/recorded-answers';
import { response } from '../routes/responses';
import type { ProductDeps } from './product-deps';
import { subscription } from './subscription';
import { SubscriptionState, subscriptionState } from './subscription-state';

/** The services behind the subscription routes. */
export interface SubscriptionDeps extends Pick<ProductDeps, 'installation' | 'refreshesPerDay'> {
  readonly subscribers: Subscribers;
  readonly subscriptions: SubscriptionRepository;
}

const COMMON = {
  input: HostInput,
  call: subscription.example.call,
  tag: 'hosts',
  security: SUBSCRIBER,
  components: { Subscription: SubscriptionState },
  errors: [400, 401],
  headers: PRIVATE,
} as const;
const SHOWN = { 200: response('The subscription.', [], answer('Subscription')) };

/** Routes for the owner of a subscription (behaviour 9.4), including an expired one. subscription.ts sells it. */
export const SUBSCRIPTION_ROUTES = [
  defineRoute({
    ...COMMON,
    route: 'GET /api/v1/hosts/:domain/subscription',
    operationId: 'show_subscription',
    summary: 'Show a subscription',
    description: 'Shows when the subscription ends and how many refreshes are left today. Free.',
    answers: SHOWN,
    handle: async (deps: SubscriptionDeps, { domain }, { headers }) =>
      subscriptionState(await deps.subscribers.find(domain, credentialOf(headers)), deps, new Date()),
  }),
  /** Revoking a revoked subscription changes nothing. */
  defineRoute({
    ...COMMON,
    route: 'DELETE /api/v1/hosts/:domain/subscription',
    operationId: 'end_subscription',
    summary: 'End a subscription',
    description: 'Ends the subscription immediately, without a refund.',
    answers: SHOWN,
    handle: async (deps: SubscriptionDeps, { domain }, { headers }) => {
      const found = await deps.subscribers.find(domain, credentialOf(headers));
      const revoked = await deps.subscriptions.revoke(found.id);
      return subscriptionState(revoked ?? found, deps, new Date());
    },
  }),
  /** Behaviour 10.5: rotating also disables a stolen key, so a key alone must not be able to rotate itself. */
  defineRoute({
    ...COMMON,
    route: 'POST /api/v1/hosts/:domain/subscription/key',
    operationId: 'rotate_subscription_key',
    summary: 'Rotate the subscription key',
    description: 'Revokes the key of the subscription and returns a new one. Only the wallet that paid can do this.',
    security: [{ signInWithX: [] }],
    answers: { 200: response('The subscription and its new key.', [], answer('NewSubscription')) },
    handle: async (deps: SubscriptionDeps, { domain }, { headers }) => {
      const credential = walletOf(headers);
      const found = credential
        ? await deps.subscribers.active(domain, credential)
        : await deps.subscribers.find(domain, undefined);
      const key = newKey('subscription');
      const changed = await deps.subscriptions.changeKey(found.id, keyHash(key));
      if (!changed) throw new RequestError('subscription_revoked');
      return { ...subscriptionState(changed, deps, new Date()), key };
    },
  }),
];
