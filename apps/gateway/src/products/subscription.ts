import { keyHash, purchasedKey } from '@app/owners';
import { HostInput } from '../http/inputs';
import { subscriptionPath } from '../http/paths';
import { RequestError } from '../http/request-error';
import { OptedOutError } from '../probing-client/probe-errors';
import { defineProduct, paymentOf, Rendered } from './define-product';
import { NewSubscription, subscriptionState } from './subscription-state';

/**
 * A subscription to an origin: its full history and its refreshes (behaviour 10.1). The ledger stores the sold answer
 * in plain text for replays, so that answer lacks the key. The key is derived from the payment and added whenever the
 * answer is released. Until the payment is settled, the subscription cannot be found (storage), so that a failed
 * settlement does not give the wallet a free one.
 */
export const subscription = defineProduct({
  sku: 'subscription',
  name: 'subscribe',
  route: 'POST /api/v1/hosts/:domain/subscription',
  price: ({ subscription: { price } }) => price,
  description: ({ subscription: { days } }) => `Full change history and live probes of one host for ${days} days`,
  title: 'Subscribe to a host',
  what: 'Gives access to the full change history of a host and to live probes of it, within fair use. The response contains the key, which is shown once. If you may need it again, buy with an Idempotency-Key that others cannot guess.',
  errors: ['invalid_domain', 'opted_out'],
  input: HostInput,
  component: 'NewSubscription',
  answer: NewSubscription,
  example: {
    call: '/api/v1/hosts/example.com/subscription',
    answer: { domain: 'shop.example.com', status: 'active', endsAt: '2026-12-01T00:00:00Z', key: 'hps_...' },
  },
  resource: ({ domain }) => subscriptionPath(domain),
  begins: ({ domain }) => subscriptionPath({ ascii: domain }),
  /** There is nothing to subscribe to at a host that opted out. */
  admit: ({ domain }, { optOuts }) =>
    optOuts.covers(domain.ascii) ? Promise.reject(new OptedOutError(domain.ascii)) : Promise.resolve(),
  work: async ({ domain }, deps, payload) => {
    const { digest, authorization } = paymentOf(payload);
    const bought = await deps.subscriptions.purchase({
      domain: domain.ascii,
      payer: authorization.from.toLowerCase(),
      keyHash: keyHash(purchasedKey(await deps.purchaseSecret(), digest)),
      paymentDigest: digest,
      days: deps.installation.subscription.days,
    });
    // Nothing was charged: the same payment starts over when it is sent again.
    if (!bought) throw new RequestError('payment_in_progress', OTHER_PURCHASE);
    return new Rendered({ body: JSON.stringify(subscriptionState(bought, deps, new Date())) });
  },
  /**
   * Returns the key to the first request with the payment, if that request completed the sale. If it named the
   * purchase, later requests with the same name get the key again.
   */
  deliver: async (shownTo, { purchaseSecret, subscriptions }, { digest }) => {
    const key = purchasedKey(await purchaseSecret(), digest);
    // After a change of the server secret, the key of an earlier purchase cannot be derived again, and no other key is shown.
    return { key: (await subscriptions.showKey(digest, shownTo)) === keyHash(key) ? key : null };
  },
});

const OTHER_PURCHASE =
  'Another payment from this wallet for this subscription is being settled. Send this payment again in a moment.';
