import { DETECTOR_IDS } from '@app/detectors';
import { CALLABILITY_MAX_AGE_SEC, PRESENCE_MAX_AGE_SEC } from '@app/reports';
import {
  about,
  anyObject,
  count,
  flag,
  list,
  nullable,
  number,
  object,
  oneOf,
  open,
  text,
  time,
  url,
  type JsonSchema,
} from './json-schema';
import { MCP_PATH } from './mcp-path';

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
    resource: about('URL that answered with the challenge.', url),
    httpMethod: oneOf(['GET', 'POST']),
    strictClientReadable: flag,
    reasons: { type: 'array', items: text, description: 'Failed checks; empty when the rail is payable.' },
    observedAt: time,
  },
  { scheme: text, method: text, intent: text },
);

/** Contract 3, `details.evidence`. */
export const EVIDENCE = open(
  { method: oneOf(['GET', 'POST']), url: text, observedAt: time },
  {
    status: count,
    contentType: nullable(text),
    bytes: count,
    sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' },
    excerpt: nullable(text),
    failure: about('Why there is no answer.', text),
  },
);

/** Spec 2.5. */
export const CELL = object({
  id: PROTOCOL,
  status: oneOf(
    ['absent', 'present', 'partial', 'undiscoverable', 'error'],
    'error: we could not look, which says nothing about the host.',
  ),
  version: nullable(text),
  details: open({ evidence: about('The requests that decided it.', list(EVIDENCE)) }),
});

/** Spec 2.4. */
export const FIX = object({
  id: { type: 'string', pattern: '^[a-z0-9-]+\\.[a-z0-9_]+$' },
  protocol: PROTOCOL,
  problem: text,
  fix: about('What to publish, and where.', text),
  spec: url,
});

/** Contract 3. */
export const RAILS = object({
  payable: about('A live challenge was read and a rail of it passes every check.', flag),
  checkedAt: nullable(time),
  rails: list(RAIL),
});

/** Spec 2.2. */
export const CACHE_STATE = object({
  presenceMaxAgeSec: { const: PRESENCE_MAX_AGE_SEC },
  callabilityMaxAgeSec: { const: CALLABILITY_MAX_AGE_SEC },
  presenceStale: flag,
  callabilityStale: about('When true, buy a refresh for live data.', flag),
});

/** Spec 2.3. */
export const REFRESH_OFFER = object({
  payable: { const: true },
  priceUsd: number,
  network: text,
  rest: object({ method: { const: 'GET' }, url }),
  mcp: object({ tool: { const: 'refresh_host' }, path: { const: MCP_PATH } }),
  docs: url,
});

/** Spec 2.1. */
export const HOST_REPORT = object(
  {
    domain: text,
    origin: url,
    ucp: nullable(anyObject),
    fixes: list(FIX),
    protocols: about('Empty for a host never probed, otherwise one for each protocol.', list(CELL)),
    paymentRails: RAILS,
    cache: CACHE_STATE,
    refresh: REFRESH_OFFER,
  },
  {
    probedAt: about('When the published documents were last read.', time),
    callabilityProbedAt: about('When what they declare was last exercised.', time),
    reachable: flag,
    optedOut: about('The owner has asked not to be probed.', { const: true }),
  },
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
  { error: about('One sentence for a person.', text), code: { type: 'string', pattern: '^[a-z0-9_]+$' } },
  {
    retryAfterSec: number,
    charged: about('No money moved.', { const: false }),
    item: about('The item of a list that is meant.', text),
    index: about('Its place in the list.', count),
    allowed: about('What would have been taken.', list(text)),
    requestId: text,
    reason: about('Why a signed message of a subscriber is no good.', text),
    extensions: about(
      'For a subscriber that is not known: a message for a wallet to sign (sign-in-with-x).',
      anyObject,
    ),
  },
);

/** Spec 2.8. */
export function envelope(sku: string, data: JsonSchema): ReturnType<typeof object> {
  return object({ sku: { const: sku }, data });
}
