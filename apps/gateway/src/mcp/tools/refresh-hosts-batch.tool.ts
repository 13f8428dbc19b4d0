import { priceUsd, PRODUCTS } from '@app/payments';
import { MAX_BATCH } from '../../hosts/dto/refresh-batch.dto';
import { flag, list, nullable, number, object, oneOf, text, time } from '../json-schema';
import { DOMAIN, PROTOCOL } from '../schemas';
import type { PaidTool } from '../tool';

const { atomic } = PRODUCTS.batch_refresh;

const LOOKED_AT = object({
  domain: text,
  ok: { const: true },
  reachable: flag,
  payable: flag,
  probedAt: nullable(time),
  present: list(PROTOCOL),
  partial: list(PROTOCOL),
  errors: list(PROTOCOL),
  report: text,
});
const FAILED = object({ domain: text, ok: { const: false }, error: text, code: text });

export const refreshHostsBatch: PaidTool = {
  name: 'refresh_hosts_batch',
  title: 'Refresh several hosts',
  about: {
    what: `Looks at 1 to ${MAX_BATCH} hosts now, for one payment, and sums each of them up in the order asked for; the full reports are free to read afterwards. Names of one host count once.`,
    freshness: 'Freshness: live.',
    failures:
      'Failures, none of them charged: invalid_domains, invalid_domain (naming the item), invalid_mode, target_busy, no_worker, busy. A host that could not be looked at is an item with ok false.',
    instead: 'Use refresh_host for one host.',
  },
  input: object({
    domains: { type: 'array', items: DOMAIN, minItems: 1, maxItems: MAX_BATCH },
    mode: oneOf(['full'], 'The only mode there is.'),
  }),
  answer: object({
    mode: { const: 'full' },
    priceUsd: number,
    results: list({ anyOf: [LOOKED_AT, FAILED] }),
  }),
  openWorld: true,
  readOnly: false,
  sku: 'batch_refresh',
  priceText: `${priceUsd(atomic(0))} + ${priceUsd(atomic(1) - atomic(0))} USDC for each host`,
  limited: false,
};
