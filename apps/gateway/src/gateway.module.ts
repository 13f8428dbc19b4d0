import {
  Module,
  type DynamicModule,
  type FactoryProvider,
  type OnApplicationShutdown,
  type Type,
} from '@nestjs/common';
import { ViemChainReader } from '@app/chain';
import type { Config } from '@app/config';
import { ProberIdentity } from '@app/identity';
import { CallerLimit, FloodGuard, openLimitStore, OptOuts, TargetBudgets, type LimitStore } from '@app/limits';
import type { Logger } from '@app/observability';
import {
  ChangeRepository,
  Database,
  HostRepository,
  Notices,
  OptOutRepository,
  PaymentRepository,
  PulseRepository,
  RailRepository,
  RunRepository,
} from '@app/persistence';
import { createProducer, queueConnection, type ProbeProducer, type ProbeQueue } from '@app/queue';
import { ChecksController } from './checks/checks.controller';
import { EndpointHealthCheck } from './checks/endpoint-health';
import { PayPreflightCheck } from './checks/pay-preflight';
import { PayToOwnershipCheck } from './checks/payto-check';
import { DiscoveryController } from './discovery/discovery.controller';
import { INSTALLATION, installationOf } from './discovery/installation';
import { FacilitatorHealth } from './health/facilitator-health';
import { HealthController, PROBE_PRODUCERS } from './health/health.controller';
import { BatchRefresh } from './hosts/batch-refresh';
import { ChangeHistory } from './hosts/change-history';
import { HostRefresh, ProtocolRefresh } from './hosts/host-refresh';
import { HostReportsService } from './hosts/host-reports.service';
import { HostsController } from './hosts/hosts.controller';
import { PayableHostsList } from './hosts/payable-hosts';
import { refreshOffer } from './hosts/refresh-offer';
import { ReportCache } from './hosts/report-cache';
import { RateLimits } from './limits/rate-limits';
import { McpService } from './mcp/mcp-service';
import { McpController } from './mcp/mcp.controller';
import { ToolDesk } from './mcp/tool-desk';
import { HostPages } from './pages/host/host-pages';
import { HostPagesController } from './pages/host/host-pages.controller';
import { PagesController } from './pages/pages.controller';
import { ApiReferenceController } from './pages/reference/api-reference.controller';
import { RecentHosts } from './pages/start/recent-hosts';
import { createPaymentParts, type PaymentParts } from './paywall/paywall.factory';
import { GatewayMetrics } from './metrics/gateway-metrics';
import { observeServiceState } from './metrics/service-state';
import { Shop } from './paywall/shop';
import { FreePresence } from './probes/free-presence';
import { ProbeClient } from './probes/probe-client';
import { TargetAdmission } from './probes/target-admission';
import { ReceiptVerification } from './receipts/receipt-verification';
import { Drain } from './shutdown/drain';
import { SubscriberShop } from './subscriptions/subscriber-shop';
import { subscriptionTerms } from './subscriptions/subscription-offer';
import { createSubscriptionParts, type SubscriptionParts } from './subscriptions/subscription-parts';
import { SubscriptionSale } from './subscriptions/subscription-sale';
import { SubscriptionsController } from './subscriptions/subscriptions.controller';
import { SubscriptionsService } from './subscriptions/subscriptions.service';
import { PROBER_FACTS, ProberController } from './prober/prober.controller';
import { openProberIdentity, proberFacts } from './prober/prober.factory';

/** A free look may wait this long for its turn, in milliseconds. */
const FREE_LOOK_MS = 120_000;

/** Everything one gateway process holds open, made and closed in one place. */
class GatewayParts implements OnApplicationShutdown {
  readonly database: Database;
  readonly notices: Notices;
  readonly producers: Readonly<Record<ProbeQueue, ProbeProducer>>;
  readonly pulses: PulseRepository;
  readonly cache: ReportCache;
  readonly reports: HostReportsService;
  readonly payments: PaymentParts | null;
  readonly shop: Shop;
  readonly rateLimits: RateLimits;
  readonly hostRefresh: HostRefresh;
  readonly protocolRefresh: ProtocolRefresh;
  readonly batch: BatchRefresh;
  readonly preflight: PayPreflightCheck;
  readonly health: EndpointHealthCheck;
  readonly payTo: PayToOwnershipCheck;
  readonly receipts: ReceiptVerification;
  readonly mcp: McpService;
  readonly changes: ChangeHistory;
  readonly subscriberShop: SubscriberShop;
  readonly subscriptions: SubscriptionParts;
  readonly optOuts: OptOuts;
  readonly pages: HostPages;
  readonly recent: RecentHosts;
  readonly metrics = new GatewayMetrics();
  readonly facilitatorHealth: FacilitatorHealth;
  private readonly limits: LimitStore;

  constructor(config: Config, logger: Logger) {
    const { publicBaseUrl: baseUrl } = config.http;
    this.database = new Database(config.database.url);
    this.notices = new Notices(config.database.url);
    const queues = queueConnection(config.redis?.url ?? null, config.database.url);
    this.producers = { live: createProducer(queues, 'live'), presence: createProducer(queues, 'presence') };
    this.pulses = new PulseRepository(this.database);
    this.limits = openLimitStore({ redisUrl: config.redis?.url ?? null, pool: this.database.pool });
    this.optOuts = new OptOuts(
      config.targets.optOut,
      () => new OptOutRepository(this.database).list(),
      (error) => {
        logger.warn({ err: error }, 'opt-outs not read');
      },
    );
    const hosts = new HostRepository(this.database);
    const runs = new RunRepository(this.database);
    const looking = {
      runs,
      pulses: this.pulses,
      notices: this.notices,
      targets: new TargetAdmission({
        budgets: new TargetBudgets(this.limits, config.targets),
        optOuts: this.optOuts,
        runs,
      }),
      deadlineMs: config.refreshDeadlineMs,
      logger,
    };
    const probes = new ProbeClient({ ...looking, producer: this.producers.live });
    const background = new ProbeClient({ ...looking, producer: this.producers.presence, deadlineMs: FREE_LOOK_MS });
    const network = config.payments?.network ?? 'eip155:8453';
    this.cache = new ReportCache(hosts, this.notices, (host) => refreshOffer(baseUrl, host, network));
    this.reports = new HostReportsService({
      hosts,
      changes: new ChangeRepository(this.database),
      probes,
      cache: this.cache,
      optOuts: this.optOuts,
      presence: config.freePresenceProbe
        ? new FreePresence({ probes: background, limits: this.limits, optOuts: this.optOuts })
        : null,
      baseUrl,
      network,
      subscription: subscriptionTerms(config.subscriptions),
    });
    this.pages = new HostPages({ reports: this.reports, baseUrl, contact: config.identity.contact });
    this.recent = new RecentHosts({ hosts, optOuts: this.optOuts });
    this.payments = createPaymentParts(config, this.database, this.notices, { logger, metrics: this.metrics });
    this.facilitatorHealth = new FacilitatorHealth(this.payments?.facilitator ?? null);
    observeServiceState(this.metrics.registry, {
      runs,
      pulses: this.pulses,
      payments: new PaymentRepository(this.database),
      producers: this.producers,
      facilitator: this.facilitatorHealth,
    });
    this.shop = new Shop(this.payments?.paywall ?? null);
    this.hostRefresh = new HostRefresh({ reports: this.reports, probes, baseUrl });
    this.protocolRefresh = new ProtocolRefresh({ reports: this.reports, probes, baseUrl });
    this.rateLimits = rateLimits(config, this.limits);
    this.subscriptions = createSubscriptionParts(config.subscriptions, {
      database: this.database,
      optOuts: this.optOuts,
      limits: this.rateLimits,
      baseUrl,
      network,
    });
    this.changes = new ChangeHistory(this.reports, this.subscriptions.subscribers);
    this.subscriberShop = new SubscriberShop(this.shop, this.subscriptions.looks);
    this.batch = new BatchRefresh({ hosts, probes, baseUrl });
    this.preflight = new PayPreflightCheck({ hosts, probes, baseUrl });
    this.health = new EndpointHealthCheck({ probes, baseUrl });
    this.payTo = new PayToOwnershipCheck({ probes, baseUrl });
    this.receipts = new ReceiptVerification({
      chains: {
        'eip155:8453': new ViemChainReader(8453, config.rpc[8453]),
        'eip155:84532': new ViemChainReader(84532, config.rpc[84532]),
      },
      baseUrl,
    });
    this.mcp = this.mcpService(baseUrl);
  }

  private mcpService(baseUrl: string): McpService {
    const services = {
      reports: this.reports,
      changes: this.changes,
      payable: new PayableHostsList({ rails: new RailRepository(this.database), optOuts: this.optOuts }),
      operations: {
        host_refresh: this.hostRefresh,
        protocol_refresh: this.protocolRefresh,
        batch_refresh: this.batch,
        pay_preflight: this.preflight,
        endpoint_health: this.health,
        payto_check: this.payTo,
        receipt_verify: this.receipts,
      },
    };
    const desk = new ToolDesk({ services, shop: this.subscriberShop, limits: this.rateLimits });
    return new McpService(desk, this.subscriptions.subscribers, baseUrl);
  }

  async start(): Promise<void> {
    await Promise.all([this.notices.start(), this.optOuts.start()]);
    this.payments?.reconciler.start();
  }

  async onApplicationShutdown(): Promise<void> {
    this.cache.close();
    this.optOuts.stop();
    this.limits.close();
    await Promise.allSettled([
      this.payments?.reconciler.stop(),
      this.notices.close(),
      ...Object.values(this.producers).map((producer) => producer.close()),
    ]);
    await this.database.close();
  }
}

function rateLimits({ callers, subscriptions }: Config, store: LimitStore): RateLimits {
  return new RateLimits(
    new CallerLimit(store, { name: 'checks', points: callers.checksPerMin, windowSec: 60 }),
    new FloodGuard({ name: 'requests', points: callers.requestsPerMin, windowSec: 60 }),
    new CallerLimit(store, { name: 'subscription', points: subscriptions.refreshesPerDay, windowSec: 86_400 }),
  );
}

/** Hands one of the parts to whoever asks for its class. */
function given<Part>(provide: Type<Part>, of: (parts: GatewayParts) => Part): FactoryProvider<Part> {
  return { provide, useFactory: of, inject: [GatewayParts] };
}

/** Composition of the gateway: the free and paid HTTP routes. */
@Module({})
export class GatewayModule {
  static with(config: Config, logger: Logger): DynamicModule {
    return {
      module: GatewayModule,
      controllers: [
        HostsController,
        ChecksController,
        SubscriptionsController,
        HealthController,
        ProberController,
        McpController,
        PagesController,
        HostPagesController,
        ApiReferenceController,
        DiscoveryController,
      ],
      providers: [
        {
          provide: GatewayParts,
          useFactory: async () => {
            const parts = new GatewayParts(config, logger);
            await parts.start();
            return parts;
          },
        },
        given(HostReportsService, (parts) => parts.reports),
        given(Shop, (parts) => parts.shop),
        given(RateLimits, (parts) => parts.rateLimits),
        given(HostRefresh, (parts) => parts.hostRefresh),
        given(ProtocolRefresh, (parts) => parts.protocolRefresh),
        given(BatchRefresh, (parts) => parts.batch),
        given(PayPreflightCheck, (parts) => parts.preflight),
        given(EndpointHealthCheck, (parts) => parts.health),
        given(PayToOwnershipCheck, (parts) => parts.payTo),
        given(ReceiptVerification, (parts) => parts.receipts),
        given(McpService, (parts) => parts.mcp),
        given(ChangeHistory, (parts) => parts.changes),
        given(SubscriberShop, (parts) => parts.subscriberShop),
        given(SubscriptionSale, (parts) => parts.subscriptions.sale),
        given(SubscriptionsService, (parts) => parts.subscriptions.service),
        given(HostPages, (parts) => parts.pages),
        given(RecentHosts, (parts) => parts.recent),
        given(FacilitatorHealth, (parts) => parts.facilitatorHealth),
        given(GatewayMetrics, (parts) => parts.metrics),
        given(Database, (parts) => parts.database),
        given(PulseRepository, (parts) => parts.pulses),
        {
          provide: ProberIdentity,
          useFactory: ({ database }: GatewayParts) => openProberIdentity(config, database),
          inject: [GatewayParts],
        },
        { provide: PROBE_PRODUCERS, useFactory: (parts: GatewayParts) => parts.producers, inject: [GatewayParts] },
        { provide: Drain, useValue: new Drain() },
        { provide: PROBER_FACTS, useValue: proberFacts(config) },
        { provide: INSTALLATION, useValue: installationOf(config) },
      ],
    };
  }
}
