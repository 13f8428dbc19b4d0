import { defined } from '@app/platform';
import { cacheState, HostReport, renderReport } from '@app/reports';
import { Described, HostInput, OneOf } from '../http/inputs';
import { hostPath } from '../http/paths';
import { PROBE_ERRORS } from '../probing-client/probe-errors';
import { REFRESH, REFRESH_USD } from '../reports/lookup-host';
import { hostProbe, liveReport } from '../reports/probes';
import { defineProduct, Rendered } from './define-product';
import { usd } from './price';
import type { ProductDeps } from './product-deps';

class ReportRefreshInput extends HostInput {
  @Described(REFRESH)
  @OneOf(['1'])
  refresh!: '1';
}

const COMMON = {
  sku: 'host_refresh',
  name: 'refresh_host',
  price: usd(REFRESH_USD),
  description: 'Live probe of a host: all protocols, payment options and endpoints',
  signed: true,
  title: 'Probe a host now',
  what: 'Probes a host now: all protocols, live payment challenges, and the endpoints it declares. Returns the same report as lookup_host. Included in a subscription to the host (Authorization: Bearer).',
  freshness: 'live; afterwards both stale flags are false for everybody.',
  errors: ['invalid_domain', ...PROBE_ERRORS],
  failures: 'If the host is down, the report has `reachable: false`, and you are charged.',
  component: 'HostReport',
  answer: HostReport,
  origin: ({ domain }: HostInput) => domain,
  admit: ({ domain }: HostInput, { probes }: ProductDeps) => probes.admit([hostProbe(domain)]),
  work: async ({ domain }: HostInput, deps: ProductDeps) => {
    const { facts, clocks, stated } = await liveReport(deps, domain);
    const report = stated && deps.offers.stored(domain, stated.sha256, Buffer.byteLength(facts));
    const cache = cacheState(clocks, new Date());
    const body = renderReport(facts, { cache, refresh: deps.offers.refresh(domain), ...defined({ report }) });
    return new Rendered({ body, ...(stated && { subject: { domain: domain.ascii, sha256: stated.sha256 } }) });
  },
} as const;

/** The report cut down to its outline: the full schema is in the OpenAPI document. */
const OUTLINE = {
  domain: 'shop.example.com',
  origin: 'https://shop.example.com',
  reachable: true,
  protocols: [{ id: 'x402', status: 'present', version: '2', details: {} }],
  fixes: [],
  paymentRails: { payable: true, rails: [] },
};

/** Endpoint 2: a live probe of a whole host. */
export const hostRefresh = defineProduct({
  ...COMMON,
  route: 'GET /api/v1/hosts/:domain/refresh',
  tool: {
    instead: 'Use lookup_host for the latest stored report, and refresh_host_protocol for one protocol.',
    readOnly: false,
  },
  input: HostInput,
  example: { call: '/api/v1/hosts/example.com/refresh', answer: OUTLINE },
  resource: ({ domain }) => `${hostPath(domain)}/refresh`,
});

/** The same product on the URL of the report (`?refresh=1`, behaviour 7.2). */
export const reportRefresh = defineProduct({
  ...COMMON,
  route: 'GET /api/v1/hosts/:domain',
  input: ReportRefreshInput,
  example: { call: '/api/v1/hosts/example.com?refresh=1', answer: OUTLINE },
  resource: ({ domain }) => `${hostPath(domain)}?refresh=1`,
});
