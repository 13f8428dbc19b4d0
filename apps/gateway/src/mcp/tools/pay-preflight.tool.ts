import { PAY_INTENTS } from '@app/reports';
import { count, list, nullable, object, oneOf, text, time } from '../json-schema';
import { DOMAIN, envelope, RAIL } from '../schemas';
import type { PaidTool } from '../tool';

export const payPreflight: PaidTool = {
  name: 'pay_preflight',
  title: 'Check before paying',
  about: {
    what: 'Whether an agent can pay at a host right now, at which URL, how much and to whom, with what blocks it and what to be careful about.',
    freshness: 'Freshness: at most 15 minutes old, looked up live otherwise; freshness says which.',
    failures:
      'Failures, none of them charged: invalid_domain, invalid_intent, rate_limited, target_busy, no_worker, busy, probe_timeout. canPay is unknown when the host could not be seen.',
    instead: 'Use payto_check to see whether the payee belongs to the domain, endpoint_health for one URL.',
  },
  input: object(
    { domain: DOMAIN },
    { intent: { ...oneOf(PAY_INTENTS, 'What the agent wants to pay for.'), default: 'any' } },
  ),
  answer: envelope(
    'pay_preflight',
    object({
      domain: text,
      intent: oneOf(PAY_INTENTS),
      canPay: oneOf(['yes', 'no', 'unknown']),
      rails: list(RAIL),
      checkout: nullable(
        object({
          protocol: { const: 'ucp' },
          version: nullable(text),
          endpoint: nullable(text),
          paymentHandlers: list(text),
        }),
      ),
      endpoint: nullable(text),
      price: nullable(object({ amount: text, asset: text, network: text, usd: nullable(text) })),
      freshness: object({ observedAt: time, ageSec: count, source: oneOf(['live', 'cache']) }),
      blockers: list(text),
      warnings: list(text),
    }),
  ),
  openWorld: true,
  readOnly: true,
  sku: 'pay_preflight',
  limited: true,
};
