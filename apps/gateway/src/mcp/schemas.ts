import { DETECTOR_IDS } from '@app/detectors';
import {
  anyObject,
  count,
  flag,
  list,
  nullable,
  number,
  object,
  oneOf,
  text,
  time,
  type JsonSchema,
} from './json-schema';

/** Arguments that several tools share. */
export const DOMAIN: JsonSchema = {
  type: 'string',
  minLength: 1,
  maxLength: 2_048,
  description: 'Public host name, for example shop.example.com. A scheme, port, path and leading www. are dropped.',
};

export const PROTOCOL = oneOf(DETECTOR_IDS, 'Detector id.');

/** Contract 3, `paymentRails.rails`. */
export const RAIL = object(
  {
    protocol: oneOf(['x402', 'mpp']),
    version: nullable(text),
    network: nullable(text),
    networkName: nullable(text),
    testnet: flag,
    asset: nullable(text),
    assetSymbol: nullable(text),
    amount: { type: ['string', 'null'], description: 'Atomic units, as stated.' },
    amountUsd: { type: ['string', 'null'], description: 'Decimal dollars, or null when the asset has no known price.' },
    payTo: nullable(text),
    resource: { type: 'string', description: 'URL that answered with the challenge.' },
    httpMethod: oneOf(['GET', 'POST']),
    strictClientReadable: flag,
    reasons: { type: 'array', items: text, description: 'Failed checks; empty when the rail is payable.' },
    observedAt: time,
  },
  { scheme: text, method: text, intent: text },
);

/** Spec 2.5. */
export const CELL = object({
  id: PROTOCOL,
  status: oneOf(['absent', 'present', 'partial', 'undiscoverable', 'error']),
  version: nullable(text),
  details: anyObject,
});

const FIX = object({ id: text, protocol: text, problem: text, fix: text, spec: text });

/** Spec 2.1. */
export const HOST_REPORT = object(
  {
    domain: text,
    origin: text,
    ucp: nullable(anyObject),
    fixes: list(FIX),
    protocols: list(CELL),
    paymentRails: object({ payable: flag, checkedAt: nullable(time), rails: list(RAIL) }),
    cache: object({
      presenceMaxAgeSec: count,
      callabilityMaxAgeSec: count,
      presenceStale: flag,
      callabilityStale: flag,
    }),
    refresh: object({ payable: flag, priceUsd: number, network: text, rest: anyObject, mcp: anyObject, docs: text }),
  },
  { probedAt: time, callabilityProbedAt: time, reachable: flag, optedOut: flag },
);

/** Spec 2.9: what an unpaid call gives instead, to be paid and sent again. */
export const PAYMENT_REQUIRED = object(
  {
    error: text,
    x402Version: count,
    accepts: { type: 'array', items: anyObject, minItems: 1, description: 'Payment options of x402.' },
  },
  { code: text, sku: text, priceUsd: number, payTo: text, resource: anyObject, extensions: anyObject },
);

/** Contract 2: what any call may give instead. */
export const FAILURE = object(
  { error: { type: 'string', description: 'One sentence for a person.' }, code: text },
  { retryAfterSec: number, charged: flag, item: text, allowed: list(text), requestId: text },
);

/** Spec 2.8. */
export function envelope(sku: string, data: JsonSchema): ReturnType<typeof object> {
  return object({ sku: { const: sku }, data });
}
