import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { ViemAuthorizationReader, type AuthorizationReader } from '@app/chain';
import type { Config } from '@app/config';
import { NETWORKS, ResourceServerFacilitator } from '@app/payments';
import {
  ChangeRepository,
  Database,
  HostRepository,
  Notices,
  PaymentRepository,
  PulseRepository,
  RunRepository,
} from '@app/persistence';
import { createProducer, queueConnection, type ProbeProducer } from '@app/queue';
import { HealthController } from './health/health.controller';
import { HostReportsService } from './hosts/host-reports.service';
import { HostsController } from './hosts/hosts.controller';
import { ReportCache } from './hosts/report-cache';
import { AttemptWaiter } from './paywall/attempt-waiter';
import { Paywall } from './paywall/paywall.service';
import { Shop } from './paywall/shop';
import { ProbeClient } from './probes/probe-client';

/** Everything one gateway process holds open, made and closed in one place. */
class GatewayParts implements OnApplicationShutdown {
  readonly database: Database;
  readonly notices: Notices;
  readonly producer: ProbeProducer;
  readonly pulses: PulseRepository;
  readonly cache: ReportCache;
  readonly reports: HostReportsService;
  readonly shop: Shop;

  constructor(config: Config) {
    const { publicBaseUrl: baseUrl } = config.http;
    this.database = new Database(config.database.url);
    this.notices = new Notices(config.database.url);
    this.producer = createProducer(queueConnection(config.redis?.url ?? null, config.database.url), 'live');
    this.pulses = new PulseRepository(this.database);
    const hosts = new HostRepository(this.database);
    const probes = new ProbeClient({
      runs: new RunRepository(this.database),
      pulses: this.pulses,
      producer: this.producer,
      notices: this.notices,
      deadlineMs: config.refreshDeadlineMs,
    });
    this.cache = new ReportCache(hosts, this.notices);
    this.reports = new HostReportsService({
      hosts,
      changes: new ChangeRepository(this.database),
      probes,
      cache: this.cache,
      baseUrl,
      network: config.payments?.network ?? 'eip155:8453',
    });
    this.shop = new Shop(this.paywall(config), probes, baseUrl);
  }

  async onApplicationShutdown(): Promise<void> {
    this.cache.close();
    await Promise.allSettled([this.notices.close(), this.producer.close()]);
    await this.database.close();
  }

  private paywall(config: Config): Paywall | null {
    if (!config.payments) return null;
    const { network, payTo, facilitatorUrl } = config.payments;
    const ledger = new PaymentRepository(this.database);
    const rpcUrl = config.rpc[NETWORKS[network].chainId];
    return new Paywall({
      terms: { network, payTo },
      ledger,
      facilitator: ResourceServerFacilitator.overHttp(facilitatorUrl, network),
      chain: rpcUrl === null ? NO_CHAIN : new ViemAuthorizationReader(rpcUrl),
      waiter: new AttemptWaiter(ledger, this.notices),
      workBudgetMs: config.refreshDeadlineMs,
    });
  }
}

/** Without an RPC node a doubtful settlement stays unknown until one is configured; it is never guessed. */
const NO_CHAIN: AuthorizationReader = { fateOf: () => Promise.resolve({ kind: 'unreadable' }) };

/** Composition of the gateway: the free and paid HTTP routes. */
@Module({})
export class GatewayModule {
  static with(config: Config): DynamicModule {
    return {
      module: GatewayModule,
      controllers: [HostsController, HealthController],
      providers: [
        {
          provide: GatewayParts,
          useFactory: async () => {
            const parts = new GatewayParts(config);
            await parts.notices.start();
            return parts;
          },
        },
        { provide: HostReportsService, useFactory: (parts: GatewayParts) => parts.reports, inject: [GatewayParts] },
        { provide: Shop, useFactory: (parts: GatewayParts) => parts.shop, inject: [GatewayParts] },
        { provide: Database, useFactory: (parts: GatewayParts) => parts.database, inject: [GatewayParts] },
        { provide: PulseRepository, useFactory: (parts: GatewayParts) => parts.pulses, inject: [GatewayParts] },
      ],
    };
  }
}
