import { ALERT_TYPES, BOUGHT_WATCH, type AlertType } from '@app/owners';
import type { HostName } from '@app/hosts';
import { IsString } from 'class-validator';
import { Described, Domain, OneOfEach, Optional } from '../http/inputs';
import { watchPath, WATCHES } from '../http/paths';
import { NewWatch } from '../owners/watch-state';
import { readReceiver, readTypes, type WatchRequest } from '../owners/watches';
import { defineProduct, paymentOf, Rendered } from './define-product';
import { usd } from './price';

/** The arguments for a new watch, for owners and buyers. */
export class WatchInput {
  @Domain()
  domain!: HostName;

  @Described('The webhook URL: https on port 443, without a user name or password.', {
    format: 'uri',
    maxLength: 2_048,
  })
  @IsString()
  url!: string;

  @Described('The types of alerts to send; all by default.', {
    type: 'array',
    items: { type: 'string', enum: ALERT_TYPES },
  })
  @Optional()
  @OneOfEach(ALERT_TYPES)
  types: readonly AlertType[] = ALERT_TYPES;
}

/** @throws {RequestError} 400 `invalid_url` */
export function readWatch({ domain, url, types }: WatchInput): WatchRequest {
  return { domain, url: readReceiver(url), types: readTypes(types) };
}

const { days, alerts } = BOUGHT_WATCH;

/** Alerts about a host for people who neither own it nor subscribe to it (behaviour 19.9). */
export const watch = defineProduct({
  sku: 'watch',
  name: 'begin_watch',
  route: `POST ${WATCHES}`,
  price: usd('0.01'),
  description: `Webhook alerts about a host for ${days} days, ${alerts} at most`,
  title: 'Watch a host',
  what: `Sends alerts about a host as Standard Webhooks, for ${days} days and ${alerts} alerts. The receiver first gets \`endpoint.verify\` and must answer its challenge. The response contains a key and a secret, which are shown once. If you may need them again, buy with an Idempotency-Key that others cannot guess. Free with the key of a claim verified by DNS, or of a subscription to the host (Authorization: Bearer).`,
  errors: [
    'invalid_domain',
    'invalid_url',
    'invalid_types',
    'claim_key_invalid',
    'claim_not_verified',
    'opted_out',
    'too_many_watches',
    'no_worker',
  ],
  input: WatchInput,
  component: 'NewWatch',
  answer: NewWatch,
  example: {
    call: WATCHES,
    body: { domain: 'example.com', url: 'https://hooks.example.com/hostprobe' },
    answer: { domain: 'example.com', status: 'pending', alertsLeft: alerts, key: 'hpw_...', secret: 'whsec_...' },
  },
  read: readWatch,
  resource: () => WATCHES,
  begins: watchPath,
  /** The payment is also bound to the watched host and the receiver, because all watches are bought at one URL. */
  body: ({ domain, url, types }) => ({ domain: domain.ascii, url: url.href, types }),
  admit: (wanted, { watches }) => watches.admitSale(wanted),
  work: async (wanted, { watches, purchaseSecret }, payload) => {
    const bought = await watches.buy(wanted, paymentOf(payload).digest, await purchaseSecret());
    return new Rendered({ body: JSON.stringify(bought) });
  },
  /** Adds the key and secret, which the ledger does not store. */
  deliver: async (shownTo, { watches, purchaseSecret }, { digest }) =>
    watches.bought(digest, await purchaseSecret(), shownTo),
});
