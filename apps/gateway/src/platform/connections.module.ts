import {
  Global,
  Inject,
  Module,
  type DynamicModule,
  type FactoryProvider,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import type { Config } from '@app/config';
import { openLimitStore, OptOuts, type LimitStore } from '@app/limits';
import { Failures, type Logger } from '@app/platform';
import {
  ChangeRepository,
  ClaimRepository,
  Database,
  DeliveryRepository,
  EvidenceRepository,
  HostRepository,
  Notices,
  OptOutRepository,
  HeartbeatRepository,
  RailRepository,
  ReportKeyRepository,
  RunRepository,
  ServerSecretRepository,
  SignInNonceRepository,
  StatementRepository,
  SubscriptionRepository,
  WatchRepository,
} from '@app/storage';
import { createProducer, queueConnection } from '@app/queue';
import { CONFIG, LIMITS, LOGGER, PRODUCERS, type Producers } from './tokens';

/** Those that need the database and nothing else. */
const REPOSITORIES = [
  DeliveryRepository,
  ChangeRepository,
  EvidenceRepository,
  HostRepository,
  OptOutRepository,
  HeartbeatRepository,
  RailRepository,
  ReportKeyRepository,
  RunRepository,
  SignInNonceRepository,
  StatementRepository,
  SubscriptionRepository,
].map((Repository): FactoryProvider => ({
  provide: Repository,
  useFactory: (database: Database) => new Repository(database),
  inject: [Database],
}));

/** Those that decide whether a claim holds. */
const OF_CLAIMS = [ClaimRepository, WatchRepository].map((Repository): FactoryProvider => ({
  provide: Repository,
  useFactory: (database: Database, { claimConfirmMs }: Config) => new Repository(database, claimConfirmMs),
  inject: [Database, CONFIG],
}));

const CONNECTIONS: readonly FactoryProvider[] = [
  { provide: Failures, useFactory: (logger: Logger) => new Failures(logger), inject: [LOGGER] },
  {
    provide: Database,
    useFactory: ({ database }: Config) => new Database(database.url, database),
    inject: [CONFIG],
  },
  { provide: ServerSecretRepository, useFactory: ({ secrets }: Database) => secrets, inject: [Database] },
  {
    provide: Notices,
    useFactory: ({ database }: Config, failures: Failures) =>
      new Notices(database.url, failures.of('notices', 'the connection for notices was lost')),
    inject: [CONFIG, Failures],
  },
  {
    provide: LIMITS,
    useFactory: ({ redis }: Config, { pool }: Database) => openLimitStore({ redisUrl: redis?.url ?? null, pool }),
    inject: [CONFIG, Database],
  },
  { provide: OptOuts, useFactory: openOptOuts, inject: [CONFIG, OptOutRepository, Failures] },
  { provide: PRODUCERS, useFactory: openProducers, inject: [CONFIG, Failures] },
  ...REPOSITORIES,
  ...OF_CLAIMS,
];

/** What one gateway process holds open: started before anything else here, and closed after everything else. */
@Global()
@Module({ providers: [...CONNECTIONS], exports: [...CONNECTIONS] })
export class ConnectionsModule implements OnModuleInit, OnApplicationShutdown {
  constructor(
    private readonly database: Database,
    private readonly notices: Notices,
    private readonly optOuts: OptOuts,
    @Inject(LIMITS) private readonly limits: LimitStore,
    @Inject(PRODUCERS) private readonly producers: Producers,
  ) {}

  static with(config: Config, logger: Logger): DynamicModule {
    const given = [
      { provide: CONFIG, useValue: config },
      { provide: LOGGER, useValue: logger },
    ];
    return { module: ConnectionsModule, providers: given, exports: given };
  }

  /**
   * @throws when the database cannot be reached, or its secrets not be opened: a gateway that does not know the opt-outs
   * must not serve.
   */
  async onModuleInit(): Promise<void> {
    await Promise.all([this.notices.start(), this.optOuts.start(), this.database.secrets.vault()]);
  }

  async onApplicationShutdown(): Promise<void> {
    this.optOuts.stop();
    this.limits.close();
    try {
      await Promise.all([this.notices.close(), this.producers.live.close(), this.producers.presence.close()]);
    } finally {
      await this.database.close();
    }
  }
}

function openOptOuts({ targets }: Config, repository: OptOutRepository, failures: Failures): OptOuts {
  return new OptOuts(targets.optOut, () => repository.list(), failures.of('opt_outs', 'opt-outs not read'));
}

function openProducers({ redis, database }: Config, failures: Failures): Producers {
  const connection = queueConnection(redis?.url ?? null, database.url);
  const failed = failures.of('queue', 'the connection to the queue failed');
  return {
    live: createProducer(connection, 'live', failed),
    presence: createProducer(connection, 'presence', failed),
    claims: createProducer(connection, 'claims', failed),
  };
}
