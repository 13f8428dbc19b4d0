import { about, anyObject, count, list, number, object, text } from './json-schema';

/** Behaviour 9.1: what an unpaid call of a tool returns: pay, and send the call again. */
export const PAYMENT_REQUIRED = object(
  {
    error: text,
    x402Version: count,
    accepts: { type: 'array', items: anyObject, minItems: 1, description: 'Payment options of x402.' },
  },
  { code: text, sku: text, priceUsd: number, payTo: text, resource: anyObject, extensions: anyObject },
);

/** Behaviour 2.1: what any call may return instead of an answer. */
export const FAILURE = object(
  { error: about('One sentence for a person.', text), code: { type: 'string', pattern: '^[a-z0-9_]+$' } },
  {
    retryAfterSec: number,
    charged: about('No money moved.', { const: false }),
    item: about('The item of the list that is wrong.', text),
    index: about('The position of the item in the list, from 0.', count),
    allowed: about('The values that are allowed.', list(text)),
    requestId: text,
    reason: about('Why the signed message of a subscriber is not valid.', text),
    extensions: about(
      'With status 401: a message that the wallet of a subscriber can sign (sign-in-with-x).',
      anyObject,
    ),
  },
);
