import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import type { Config } from '@app/config';
import type { Logger } from '@app/observability';
import { openLimitStore, OptOuts, TargetBudgets, type LimitStore } from '@app/limits';
import {
  ChangeRepository,
  Database,
  HostRepository,
  Notices,
  OptOutRepository,
  PulseRepository,
  RunRepository,
} from '@app/persistence';
import { createProducer, queueConnection, type ProbeProducer } from '@app/queue';
import { FacilitatorHealth } from './health/facilitator-health';
import { HealthController } from './health/health.controller';
import { HostReportsService } from './hosts/host-reports.service';
import { HostsController } from './hosts/hosts.controller';
import { ReportCache } from './hosts/report-cache';
import { createPaymentParts, type PaymentParts } from './paywall/paywall.factory';
import { Shop } from './paywall/shop';
import { ProbeClient } from './probes/probe-client';
import { TargetAdmission } from './probes/target-admission';

/** Everything one gateway process holds open, made and closed in one place. */
class GatewayParts implements OnApplicationShutdown {
  readonly database: Database;
  readonly notices: Notices;
  readonly producer: ProbeProducer;
  readonly pulses: PulseRepository;
  readonly cache: ReportCache;
  readonly reports: HostReportsService;
  readonly payments: PaymentParts | null;
  readonly shop: Shop;
  readonly optOuts: OptOuts;
  private readonly limits: LimitStore;

  constructor(config: Config, logger: Logger) {
    const { publicBaseUrl: baseUrl } = config.http;
    this.database = new Database(config.database.url);
    this.notices = new Notices(config.database.url);
    this.producer = createProducer(queueConnection(config.redis?.url ?? null, config.database.url), 'live');
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
    const probes = new ProbeClient({
      runs,
      pulses: this.pulses,
      producer: this.producer,
      notices: this.notices,
      targets: new TargetAdmission({
        budgets: new TargetBudgets(this.limits, config.targets),
        optOuts: this.optOuts,
        runs,
      }),
      deadlineMs: config.refreshDeadlineMs,
    });
    this.cache = new ReportCache(hosts, this.notices);
    this.reports = new HostReportsService({
      hosts,
      changes: new ChangeRepository(this.database),
      probes,
      cache: this.cache,
      optOuts: this.optOuts,
      baseUrl,
      network: config.payments?.network ?? 'eip155:8453',
    });
    this.payments = createPaymentParts(config, this.database, this.notices, logger);
    this.shop = new Shop(this.payments?.paywall ?? null, probes, baseUrl);
  }

  async start(): Promise<void> {
    await Promise.all([this.notices.start(), this.optOuts.start()]);
    this.payments?.reconciler.start();
  }

  async onApplicationShutdown(): Promise<void> {
    this.cache.close();
    this.optOuts.stop();
    this.limits.close();
    await Promise.allSettled([this.payments?.reconciler.stop(), this.notices.close(), this.producer.close()]);
    await this.database.close();
  }
}

/** Composition of the gateway: the free and paid HTTP routes. */
@Module({})
export class GatewayModule {
  static with(config: Config, logger: Logger): DynamicModule {
    return {
      module: GatewayModule,
      controllers: [HostsController, HealthController],
      providers: [
        {
          provide: GatewayParts,
          useFactory: async () => {
            const parts = new GatewayParts(config, logger);
            await parts.start();
            return parts;
          },
        },
        { provide: HostReportsService, useFactory: (parts: GatewayParts) => parts.reports, inject: [GatewayParts] },
        { provide: Shop, useFactory: (parts: GatewayParts) => parts.shop, inject: [GatewayParts] },
        {
          provide: FacilitatorHealth,
          useFactory: (parts: GatewayParts) => new FacilitatorHealth(parts.payments?.facilitator ?? null),
          inject: [GatewayParts],
        },
        { provide: Database, useFactory: (parts: GatewayParts) => parts.database, inject: [GatewayParts] },
        { provide: PulseRepository, useFactory: (parts: GatewayParts) => parts.pulses, inject: [GatewayParts] },
      ],
    };
  }
}
