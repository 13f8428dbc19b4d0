import { z } from 'zod';
import { parseUrl } from '@app/detectors';
import type { LocalTool } from './local-tool';
import type { Decision, PaymentCheck } from './payment-check';
import { allowedSentence, refusedSentence } from './payment-sentence';

const INPUT = z.strictObject({
  url: z
    .string()
    .max(2_048)
    .refine((text) => ['https:', 'http:'].includes(parseUrl(text)?.protocol ?? ''))
    .describe('the URL that answered 402, after redirects'),
  requirement: z
    .looseObject({ network: z.string(), asset: z.string(), payTo: z.string() })
    .describe('the whole entry of accepts that you are about to sign, with network, asset, payTo and amount'),
  resource: z.string().max(2_048).describe('resource.url of the 402 response').optional(),
});

const ANSWER = z.looseObject({
  decision: z.enum(['pay', 'do_not_pay']),
  sentence: z.string(),
  /** The evidence that the payment was compared with. */
  source: z.enum(['statement', 'probe']),
  code: z.string().optional(),
  warnings: z.array(z.string()).optional(),
});

/** The last check before an agent signs. The tool neither signs nor pays. */
export function checkBeforePaying(check: Pick<PaymentCheck, 'decide'>): LocalTool<typeof INPUT> {
  return {
    name: 'check_before_paying',
    title: 'Check a payment before you sign it',
    description:
      'Says whether to sign one payment option of a 402 response. Compares network, token, recipient and amount with what hostprobe saw at that origin (a signed statement of the configured service, or a probe from this machine), and with the spend limit the user configured. Price: free; signs and pays nothing. Freshness: at most 15 minutes old. Failures: invalid_arguments. Act on decision and sentence: sign only on "pay".',
    input: INPUT,
    answer: ANSWER,
    asksHosts: true,
    run: async (asked) => answered(new URL(asked.url).origin, await check.decide(asked)),
  };
}

function answered(origin: string, decision: Decision): z.infer<typeof ANSWER> {
  const { source } = decision;
  if (decision.pay) {
    const { warnings } = decision;
    const sentence = allowedSentence(origin, source, warnings);
    return { decision: 'pay', sentence, source, warnings: [...warnings] };
  }
  const { refused } = decision;
  return { decision: 'do_not_pay', sentence: refusedSentence(refused), source, code: refused.code };
}
