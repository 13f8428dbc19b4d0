import type { OnApplicationShutdown } from '@nestjs/common';
import type { Config } from '@app/config';
import { CallerLimit, FloodGuard, openLimitStore, OptOuts, type LimitStore } from '@app/limits';
import type { Logger } from '@app/observability';
import {
  ChangeRepository,
  Database,
  HostRepository,
  Notices,
  OptOutRepository,
  PaymentRepository,
  RailRepository,
} from '@app/persistence';
import { FacilitatorHealth } from './health/facilitator-health';
import { ChangeHistory } from './hosts/change-history';
import { HostReportsService } from './hosts/host-reports.service';
import { PayableHostsList } from './hosts/payable-hosts';
import { refreshOffer } from './hosts/refresh-offer';
import { ReportCache } from './hosts/report-cache';
import { RateLimits } from './limits/rate-limits';
import { McpService } from './mcp/mcp-service';
import { ToolDesk } from './mcp/tool-desk';
import { GatewayMetrics } from './metrics/gateway-metrics';
import { observeServiceState } from './metrics/service-state';
import { createOperations, type Operations } from './operations.factory';
import { HostPages } from './pages/host/host-pages';
import { RecentHosts } from './pages/start/recent-hosts';
import { createPaymentParts, type PaymentParts } from './paywall/paywall.factory';
import { Shop } from './paywall/shop';
import { createProbeParts, type ProbeParts } from './probes/probes.factory';
import { SubscriberShop } from './subscriptions/subscriber-shop';
import { subscriptionTerms } from './subscriptions/subscription-offer';
import { createSubscriptionParts, type SubscriptionParts } from './subscriptions/subscriptions.factory';

/** Everything one gateway process holds open, made and closed in one place. */
export class GatewayParts implements OnApplicationShutdown {
  readonly metrics = new GatewayMetrics();
  readonly database: Database;
  readonly probes: ProbeParts;
  readonly reports: HostReportsService;
  readonly pages: HostPages;
  readonly recent: RecentHosts;
  readonly shop: Shop;
  readonly operations: Operations;
  readonly rateLimits: RateLimits;
  readonly subscriptions: SubscriptionParts;
  readonly subscriberShop: SubscriberShop;
  readonly changes: ChangeHistory;
  readonly mcp: McpService;
  readonly facilitatorHealth: FacilitatorHealth;
  private readonly notices: Notices;
  private readonly limits: LimitStore;
  private readonly optOuts: OptOuts;
  private readonly cache: ReportCache;
  private readonly payments: PaymentParts | null;

  constructor(config: Config, logger: Logger) {
    const { publicBaseUrl: baseUrl } = config.http;
    const network = config.payments?.network ?? 'eip155:8453';
    this.database = new Database(config.database.url);
    this.notices = new Notices(config.database.url);
    this.limits = openLimitStore({ redisUrl: config.redis?.url ?? null, pool: this.database.pool });
    this.optOuts = openOptOuts(config, this.database, logger);
    const { database, notices, limits, optOuts } = this;
    this.probes = createProbeParts(config, { database, notices, limits, optOuts, logger });
    const probes = this.probes.live;
    const hosts = new HostRepository(database);
    this.cache = new ReportCache(hosts, notices, (host) => refreshOffer(baseUrl, host, network));
    this.reports = new HostReportsService({
      hosts,
      changes: new ChangeRepository(database),
      probes,
      cache: this.cache,
      optOuts,
      presence: this.probes.presence,
      baseUrl,
      network,
      subscription: subscriptionTerms(config.subscriptions),
    });
    this.pages = new HostPages({ reports: this.reports, baseUrl, contact: config.identity.contact });
    this.recent = new RecentHosts({ hosts, optOuts });
    this.payments = createPaymentParts(config, database, notices, { logger, metrics: this.metrics });
    this.shop = new Shop(this.payments?.paywall ?? null);
    this.operations = createOperations({ hosts, reports: this.reports, probes, rpc: config.rpc, baseUrl });
    this.rateLimits = rateLimits(config, limits);
    const subscriptions = createSubscriptionParts(config.subscriptions, {
      database,
      optOuts,
      limits: this.rateLimits,
      baseUrl,
      network,
    });
    this.subscriptions = subscriptions;
    this.subscriberShop = new SubscriberShop(this.shop, subscriptions.looks);
    this.changes = new ChangeHistory(this.reports, subscriptions.subscribers);
    this.mcp = this.mcpService(baseUrl);
    this.facilitatorHealth = new FacilitatorHealth(this.payments?.facilitator ?? null);
    observeServiceState(this.metrics.registry, {
      ...this.probes,
      payments: new PaymentRepository(database),
      facilitator: this.facilitatorHealth,
    });
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
      ...Object.values(this.probes.producers).map((producer) => producer.close()),
    ]);
    await this.database.close();
  }

  private mcpService(baseUrl: string): McpService {
    const services = {
      reports: this.reports,
      changes: this.changes,
      payable: new PayableHostsList({ rails: new RailRepository(this.database), optOuts: this.optOuts }),
      operations: this.operations,
    };
    const desk = new ToolDesk({ services, shop: this.subscriberShop, limits: this.rateLimits });
    return new McpService(desk, this.subscriptions.subscribers, baseUrl);
  }
}

function openOptOuts({ targets }: Config, database: Database, logger: Logger): OptOuts {
  const repository = new OptOutRepository(database);
  const list = (): Promise<readonly string[]> => repository.list();
  return new OptOuts(targets.optOut, list, (error) => {
    logger.warn({ err: error }, 'opt-outs not read');
  });
}

function rateLimits({ callers, subscriptions }: Config, store: LimitStore): RateLimits {
  return new RateLimits(
    new CallerLimit(store, { name: 'checks', points: callers.checksPerMin, windowSec: 60 }),
    new FloodGuard({ name: 'requests', points: callers.requestsPerMin, windowSec: 60 }),
    new CallerLimit(store, { name: 'subscription', points: subscriptions.refreshesPerDay, windowSec: 86_400 }),
  );
}
