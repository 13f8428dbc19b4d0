import { defined } from '@app/platform';
import type { StoredReport } from '@app/storage';
import { type HostName } from '@app/hosts';
import {
  cacheState,
  isAnswer,
  PAY_CLIENTS,
  PAY_INTENTS,
  payPreflight as judge,
  PayPreflight,
  readFacts,
  type PayIntent,
} from '@app/reports';
import { Described, Domain, OneOf, Optional } from '../http/inputs';
import { hostPath } from '../http/paths';
import { PROBE_ERRORS } from '../probing-client/probe-errors';
import { hostProbe, liveReport } from '../reports/probes';
import { defineProduct, Uncharged } from './define-product';
import { usd } from './price';
import type { ProductDeps } from './product-deps';

class PayPreflightInput {
  @Domain()
  domain!: HostName;

  @Described('What the agent wants to pay for.')
  @Optional()
  @OneOf(PAY_INTENTS)
  intent: PayIntent = 'any';

  @Described('The payment client of the agent. By default the answer covers all clients.')
  @Optional()
  @OneOf(PAY_CLIENTS)
  client?: string;
}

/** Endpoint 7: can an agent pay this host? Fresh live data is reused; otherwise the host is probed. */
export const payPreflight = defineProduct({
  sku: 'pay_preflight',
  name: 'pay_preflight',
  route: 'GET /api/v1/hosts/:domain/pay-preflight',
  price: usd('0.001'),
  description: 'Whether an agent can pay a host: how, where and how much',
  check: true,
  title: 'Can I pay this host?',
  what: 'Checks whether an agent can pay a host right now. Returns the URL, price and recipient, with blockers and warnings.',
  freshness: 'a stored result of the last 15 minutes, otherwise a live probe; `freshness` in the response says which.',
  errors: ['invalid_domain', 'invalid_intent', 'invalid_client', 'rate_limited', ...PROBE_ERRORS],
  failures:
    '`canPay` is `unknown` if the probe was inconclusive. No charge if the probe could not reach everything it needed for a decision.',
  tool: {
    instead: 'Use payto_check to check that the recipient belongs to the domain, and endpoint_health for one URL.',
    readOnly: true,
  },
  input: PayPreflightInput,
  component: 'PayPreflight',
  answer: PayPreflight,
  example: {
    call: '/api/v1/hosts/example.com/pay-preflight?intent=api',
    answer: { sku: 'pay_preflight', data: { domain: 'shop.example.com', canPay: 'yes', blockers: [], warnings: [] } },
  },
  resource: ({ domain, intent, client }) => {
    const query = new URLSearchParams({
      ...(intent === 'any' ? {} : { intent }),
      ...(client === undefined ? {} : { client }),
    });
    return `${hostPath(domain)}/pay-preflight${query.size === 0 ? '' : `?${query.toString()}`}`;
  },
  /** A fresh stored result needs no worker and no request to the host. */
  admit: async (input, deps) => {
    if (!(await stored(input, deps))) await deps.probes.admit([hostProbe(input.domain)]);
  },
  work: async (input, deps) => {
    const known = await stored(input, deps);
    if (known) return known;
    const answer = judged(input, await liveReport(deps, input.domain), 'live');
    return isAnswer(answer) ? answer : new Uncharged(answer);
  },
});

/** The answer from stored live data, if it is fresh and conclusive. */
async function stored(input: PayPreflightInput, { hosts }: ProductDeps): Promise<PayPreflight | undefined> {
  const report = await hosts.findReport(input.domain.ascii);
  if (!report || cacheState(report.clocks, new Date()).callabilityStale) return undefined;
  const answer = judged(input, report, 'cache');
  return isAnswer(answer) ? answer : undefined;
}

/** Derives the answer from a report. */
function judged(
  { intent, client }: PayPreflightInput,
  { facts, clocks }: StoredReport,
  source: 'live' | 'cache',
): PayPreflight {
  const observedAt = clocks.callabilityProbedAt;
  if (observedAt === undefined) throw new Error('a host probe sets the callability clock');
  return judge(readFacts(facts), { intent, ...defined({ client }) }, { observedAt, source, now: new Date() });
}
