import { about, anyObject, count, list, number, object, text } from './json-schema';

/** Behaviour 9.1: the answer to an unpaid call of a paid tool, with the payment terms. */
export const PAYMENT_REQUIRED = object(
  {
    error: text,
    x402Version: count,
    accepts: { type: 'array', items: anyObject, minItems: 1, description: 'The x402 payment options.' },
  },
  { code: text, sku: text, priceUsd: number, payTo: text, resource: anyObject, extensions: anyObject },
);

/** Behaviour 2.1: the answer to a failed call. */
export const FAILURE = object(
  { error: about('A message for people.', text), code: { type: 'string', pattern: '^[a-z0-9_]+$' } },
  {
    retryAfterSec: number,
    charged: about('Nothing was charged.', { const: false }),
    item: about('The invalid item of the list.', text),
    index: about('The position of the item in the list, from 0.', count),
    allowed: about('The allowed values.', list(text)),
    requestId: text,
    reason: about('Why the signed message is invalid.', text),
    extensions: about('With status 401: a message for the wallet of a subscriber to sign (sign-in-with-x).', anyObject),
  },
);
