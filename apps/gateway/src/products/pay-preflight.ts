import { defined } from '@app/objects';
import type { StoredReport } from '@app/persistence';
import {
  cacheState,
  PAY_CLIENTS,
  PAY_INTENTS,
  payPreflight as judge,
  PayPreflight,
  readFacts,
  type HostName,
  type PayIntent,
} from '@app/reports';
import { Described, Domain, OneOf, Optional } from '../http/inputs';
import { hostPath } from '../http/paths';
import { PROBE_ERRORS } from '../probing-client/probe-errors';

import { hostProbe, liveReport } from '../reports/probes';
import { defineProduct } from './define-product';
import { usd } from './price';
import type { ProductDeps } from './product-deps';

class PayPreflightInput {
  @Domain()
  domain!: HostName;

  @Described('What the agent wants to pay for.')
  @Optional()
  @OneOf(PAY_INTENTS)
  intent: PayIntent = 'any';

  @Described('The released client that the agent pays with; without one the answer is for all of them.')
  @Optional()
  @OneOf(PAY_CLIENTS)
  client?: string;
}

/** Endpoint 7: can an agent pay at this host. Callability that is still fresh is used, otherwise the host is probed. */
export const payPreflight = defineProduct({
  sku: 'pay_preflight',
  name: 'pay_preflight',
  route: 'GET /api/v1/hosts/:domain/pay-preflight',
  price: usd('0.001'),
  description: 'Whether an agent can pay at a host, how, where and how much',
  check: true,
  title: 'Check before paying',
  what: 'Whether an agent can pay at a host right now, at which URL, how much and to which address, with blockers and warnings.',
  freshness: 'a stored result of the last 15 minutes, otherwise a live probe; the member freshness tells which.',
  errors: ['invalid_domain', 'invalid_intent', 'invalid_client', 'rate_limited', ...PROBE_ERRORS],
  failures: 'canPay is unknown when the probe could not decide.',
  tool: {
    instead: 'Use payto_check to see whether the payee belongs to the domain, and endpoint_health for one URL.',
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
  admit: async ({ domain }, deps) => {
    if (!(await fresh(domain, deps))) await deps.probes.admit([hostProbe(domain)]);
  },
  work: async ({ domain, intent, client }, deps) => {
    const cached = await fresh(domain, deps);
    const { facts, clocks } = cached ?? (await liveReport(deps, domain));
    const observedAt = clocks.callabilityProbedAt;
    if (observedAt === undefined) throw new Error('a host probe sets the callability clock');
    return judge(
      readFacts(facts),
      { intent, ...defined({ client }) },
      { observedAt, source: cached ? 'cache' : 'live', now: new Date() },
    );
  },
});

async function fresh(host: HostName, { hosts }: ProductDeps): Promise<StoredReport | undefined> {
  const stored = await hosts.findReport(host.ascii);
  return stored && !cacheState(stored.clocks, new Date()).callabilityStale ? stored : undefined;
}
