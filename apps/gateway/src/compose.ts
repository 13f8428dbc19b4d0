import { ViemChainReader } from '@app/payments';
import type { Config } from '@app/config';
import type { HostName } from '@app/hosts';
import { perChain } from '@app/networks';
import type { Logger } from '@app/platform';
import { newSigningKey, ProberIdentity } from '@app/signing';
import {
  ChangeRepository,
  ClaimRepository,
  DeliveryRepository,
  EvidenceRepository,
  HostRepository,
  RailRepository,
  ReportKeyRepository,
  StatementRepository,
  SubscriptionRepository,
  WatchRepository,
} from '@app/storage';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { openCheckout } from './checkout/open-checkout';
import { sellingNetwork } from './checkout/payment-means';
import { gatewayDocument } from './gateway.document';
import { AllowedMethods } from './http/allowed-methods';
import { ErrorFilter } from './http/error.filter';
import { RateLimits } from './http/rate-limits';
import { RPC_ERRORS } from './mcp/json-rpc';
import { McpService } from './mcp/mcp-service';
import { Claims } from './owners/claims';
import { OwnerProbes } from './owners/owner-probes';
import { Watches } from './owners/watches';
import { ERROR_PAGES } from './pages/error-pages';
import type { PageDeps } from './pages/page-definition';
import { RecentHosts } from './pages/recent-hosts';
import { layout } from './pages/page-registry';
import { openConnections } from './platform/connections';
import { Drain } from './platform/health/drain';
import { Health } from './platform/health/health';
import { GatewayMetrics } from './platform/metrics/gateway-metrics';
import { observeServiceState } from './platform/metrics/service-state';
import { openProbing } from './probing-client/open-probing';
import { reportRefresh } from './products/host-refresh';
import { installationOf } from './products/installation';
import type { ProductDeps } from './products/product-deps';
import { ChallengeCache } from './products/challenge-cache';
import { PRODUCTS } from './products/registry';
import { reportOffers } from './products/offers-in-reports';
import { Sales } from './products/sales';
import { ChangeHistory } from './reports/change-history';
import { HostReportsService } from './reports/host-reports.service';
import { PayableHostsList } from './reports/payable-hosts';
import { Readers } from './reports/readers';
import { ReportCache } from './reports/report-cache';
import { ReportForms } from './reports/report-forms';
import { EvidenceFiles } from './statements/evidence-files';
import { ReportKeys } from './statements/report-keys';
import { sendStatement } from './statements/send-statement';
import { Statements } from './statements/statements';

/** The services of a gateway. */
export type Services = Awaited<ReturnType<typeof compose>>;

/** Builds the services of a gateway from its configuration, layer by layer. Nothing is started yet. */
export async function compose(config: Config, logger: Logger) {
  const base = openBase(config, logger);
  const free = { ...base, ...openProbing(base) };
  const sold = { ...free, ...openCheckout({ ...free, signed: SIGNED }) };
  const known = { ...sold, ...openReports(sold) };
  const said = { ...known, ...openOwners(known), ...openStatements(known) };
  const selling = { ...said, ...openSales(said) };
  observeServiceState(base.metrics.registry, { ...selling, alerts: selling.deliveries }, base.failures);
  const health = new Health(selling);
  return { ...selling, health, pages: await openPages(selling), mcp: new McpService({ ...selling, free: selling }) };
}

/** The products whose receipts are signed. */
const SIGNED: ReadonlySet<string> = new Set(PRODUCTS.filter(({ signed }) => signed).map(({ sku }) => sku));

type Base = ReturnType<typeof openBase>;
type WithProbing = Base & ReturnType<typeof openProbing>;
type WithCheckout = WithProbing & ReturnType<typeof openCheckout>;
type WithReports = WithCheckout & ReturnType<typeof openReports>;
type WithStatements = WithReports & ReturnType<typeof openOwners> & ReturnType<typeof openStatements>;
type WithSales = WithStatements & ReturnType<typeof openSales>;

function openBase(config: Config, logger: Logger) {
  const connections = openConnections(config, logger);
  const metrics = new GatewayMetrics();
  const methods = new AllowedMethods();
  const installation = installationOf(config);
  return {
    ...connections,
    ...{ metrics, methods, installation },
    drain: new Drain(),
    rateLimits: new RateLimits(config, connections.limits),
    errors: new ErrorFilter({ logger, methods, metrics, forms: [ERROR_PAGES, RPC_ERRORS] }),
    document: gatewayDocument(installation),
  };
}

/** The free reports about hosts. */
function openReports({
  config,
  database,
  failures,
  notices,
  optOuts,
  installation,
  presence,
  subscribers,
}: WithCheckout) {
  const offers = reportOffers(installation, sellingNetwork(config));
  const hosts = new HostRepository(database);
  const readers = new Readers(database, failures);
  const cache = new ReportCache(hosts, notices, offers, readers);
  const reports = new HostReportsService(cache, new ChangeRepository(database), optOuts, presence, offers);
  return {
    ...{ offers, hosts, readers, cache, reports },
    changes: new ChangeHistory(reports, subscribers),
    forms: new ReportForms(reports, config, hosts),
    payable: new PayableHostsList(new RailRepository(database), optOuts),
  };
}

/** Claims, watches and subscriptions. */
function openOwners({
  config,
  database,
  optOuts,
  rateLimits,
  producers,
  limits,
  runs,
  free,
  subscribers,
}: WithReports) {
  const { claimConfirmMs } = config;
  const deliveries = new DeliveryRepository(database);
  const rows = new WatchRepository(database, claimConfirmMs);
  const claims = new Claims(
    new ClaimRepository(database, claimConfirmMs),
    runs,
    optOuts,
    rateLimits,
    producers,
    config,
  );
  return {
    ...{ claims, deliveries },
    ownerProbes: new OwnerProbes(claims, rateLimits, free, limits),
    watches: new Watches(rows, deliveries, subscribers, optOuts, config),
  };
}

/** Signed statements about hosts, and the evidence behind them. */
function openStatements({ config, database, reports, optOuts }: WithReports) {
  const { http, identity, reportSigningKey: configured } = config;
  const proberKey = async (): Promise<string> =>
    identity.signingKey ?? database.secrets.obtain('prober_key', newSigningKey);
  const reportKeys = new ReportKeyRepository(database);
  const keys = new ReportKeys({ keys: reportKeys, configured, proberKey });
  const stored = new StatementRepository(database);
  const statements = new Statements({ baseUrl: http.publicBaseUrl, reports, optOuts, keys, rows: stored });
  return {
    ...{ keys, reportKeys, stored, statements },
    sendStatement: async (reply: FastifyReply, host: HostName): Promise<void> => {
      sendStatement(reply, await statements.about(host));
    },
    evidence: new EvidenceFiles(new EvidenceRepository(database)),
  };
}

/** The sale of products. */
function openSales(said: WithStatements) {
  const { config, database, metrics } = said;
  const { rpc, subscriptions } = config;
  const stored = new SubscriptionRepository(database);
  const products: ProductDeps = {
    ...said,
    subscriptions: stored,
    refreshesPerDay: subscriptions.refreshesPerDay,
    chains: perChain(({ id, chainId }) => new ViemChainReader(chainId, rpc[id])),
    purchaseSecret: async () => subscriptions.keySecret ?? database.secrets.obtain('subscription_key'),
  };
  const challengeCache = new ChallengeCache(metrics);
  const sales = new Sales({ ...said, products, challengeCache });
  return {
    ...{ products, challengeCache, sales },
    subscriptions: stored,
    refreshesPerDay: subscriptions.refreshesPerDay,
    sellRefresh: (request: FastifyRequest, reply: FastifyReply) => sales.serve(reportRefresh, request, reply),
  };
}

/**
 * The pages for people. The prober's identity is the workers': the configured key, or the one shared through the
 * database.
 */
async function openPages(selling: WithSales): Promise<PageDeps> {
  const { config, database, forms, hosts, installation, optOuts, rateLimits } = selling;
  const { identity, http } = config;
  const signs = { configured: identity.signingKey, secrets: database.secrets, baseUrl: http.publicBaseUrl };
  return {
    ...selling,
    site: installation,
    recent: new RecentHosts(hosts, optOuts),
    hosts: forms,
    limits: rateLimits,
    identity: await ProberIdentity.open(signs),
    layout,
  };
}
