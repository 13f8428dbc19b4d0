import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { ViemAuthorizationReader, type AuthorizationReader } from '@app/chain';
import { VERSION, type Config } from '@app/config';
import type { Logger } from '@app/observability';
import { DIRECTORY_PATH, PRODUCT_TOKEN, PROBER_PATH, ProberIdentity, userAgentOf } from '@app/identity';
import { openLimitStore, OptOuts, TargetBudgets, type LimitStore } from '@app/limits';
import { NETWORKS, ResourceServerFacilitator } from '@app/payments';
import {
  ChangeRepository,
  Database,
  HostRepository,
  Notices,
  OptOutRepository,
  PaymentRepository,
  PulseRepository,
  RunRepository,
  SigningKeyRepository,
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
import { TargetAdmission } from './probes/target-admission';
import type { ProberFacts } from './prober/prober-page';
import { PROBER_FACTS, ProberController } from './prober/prober.controller';

/** Everything one gateway process holds open, made and closed in one place. */
class GatewayParts implements OnApplicationShutdown {
  readonly database: Database;
  readonly notices: Notices;
  readonly producer: ProbeProducer;
  readonly pulses: PulseRepository;
  readonly cache: ReportCache;
  readonly reports: HostReportsService;
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
    this.shop = new Shop(this.paywall(config), probes, baseUrl);
  }

  async onApplicationShutdown(): Promise<void> {
    this.cache.close();
    this.optOuts.stop();
    this.limits.close();
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

function proberFacts({ http, targets, identity }: Config): ProberFacts {
  const { publicBaseUrl } = http;
  return {
    userAgent: userAgentOf(VERSION, publicBaseUrl),
    productToken: PRODUCT_TOKEN,
    targets,
    egress: identity.egress,
    contact: identity.contact,
    directoryUrl: `${publicBaseUrl}${DIRECTORY_PATH}`,
    egressUrl: `${publicBaseUrl}${PROBER_PATH}/egress.json`,
  };
}

/** Composition of the gateway: the free and paid HTTP routes. */
@Module({})
export class GatewayModule {
  static with(config: Config, logger: Logger): DynamicModule {
    return {
      module: GatewayModule,
      controllers: [HostsController, HealthController, ProberController],
      providers: [
        {
          provide: GatewayParts,
          useFactory: async () => {
            const parts = new GatewayParts(config, logger);
            await Promise.all([parts.notices.start(), parts.optOuts.start()]);
            return parts;
          },
        },
        { provide: HostReportsService, useFactory: (parts: GatewayParts) => parts.reports, inject: [GatewayParts] },
        { provide: Shop, useFactory: (parts: GatewayParts) => parts.shop, inject: [GatewayParts] },
        {
          provide: ProberIdentity,
          useFactory: ({ database }: GatewayParts) => {
            const keys = new SigningKeyRepository(database);
            return ProberIdentity.open({
              configured: config.identity.signingKey,
              shared: (generate) => keys.obtain(generate),
              baseUrl: config.http.publicBaseUrl,
            });
          },
          inject: [GatewayParts],
        },
        { provide: PROBER_FACTS, useValue: proberFacts(config) },
        { provide: Database, useFactory: (parts: GatewayParts) => parts.database, inject: [GatewayParts] },
        { provide: PulseRepository, useFactory: (parts: GatewayParts) => parts.pulses, inject: [GatewayParts] },
      ],
    };
  }
}
