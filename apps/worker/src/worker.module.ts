import { Module, type DynamicModule, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { VERSION, type Config } from '@app/config';
import { ProberIdentity, userAgentOf } from '@app/identity';
import { openLimitStore, OptOuts, TargetBudgets, type LimitStore } from '@app/limits';
import type { Logger } from '@app/observability';
import {
  Database,
  HostRepository,
  OptOutRepository,
  PulseRepository,
  RunRepository,
  SigningKeyRepository,
} from '@app/persistence';
import { createProber, type Prober } from '@app/probing';
import { createConsumer, queueConnection, type ProbeConsumer } from '@app/queue';
import { offlineSignatures as signatures } from '@app/signatures';
import { ConsiderateProber } from './considerate-prober';
import { HostRecorder } from './host-recorder';
import { ProbeProcessor } from './probe.processor';
import { Pulse } from './pulse';

/** Everything one worker process holds open. Stops in the order that loses nothing: intake, running looks, sockets. */
class WorkerParts implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly database: Database;
  private readonly limits: LimitStore;
  private readonly budgets: TargetBudgets;
  private readonly optOuts: OptOuts;
  private readonly pulse: Pulse;
  private prober: Prober | undefined;
  private consumer: ProbeConsumer | undefined;

  constructor(
    private readonly config: Config,
    private readonly logger: Logger,
  ) {
    this.database = new Database(config.database.url);
    this.limits = openLimitStore({ redisUrl: config.redis?.url ?? null, pool: this.database.pool });
    this.budgets = new TargetBudgets(this.limits, config.targets);
    this.optOuts = new OptOuts(
      config.targets.optOut,
      () => new OptOutRepository(this.database).list(),
      (error) => {
        logger.warn({ err: error }, 'opt-outs not read');
      },
    );
    this.pulse = new Pulse(new PulseRepository(this.database), config.probing.concurrency, (error) => {
      this.logger.warn({ err: error }, 'pulse not written');
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    const { config, logger, optOuts } = this;
    await optOuts.start();
    this.prober = new ConsiderateProber(await this.openProber(), this.budgets);
    const recorder = new HostRecorder(new HostRepository(this.database));
    const runs = new RunRepository(this.database);
    const jobParts = { prober: this.prober, recorder, runs, signatures };
    const processor = new ProbeProcessor(runs, jobParts, optOuts, logger);
    this.consumer = await createConsumer(queueConnection(config.redis?.url ?? null, config.database.url), 'live', {
      concurrency: config.probing.concurrency,
      process: (job) => processor.process(job),
      onError: (error) => {
        logger.error({ err: error }, 'queue or job failed');
      },
    });
    await this.pulse.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pulse.stop().catch(() => undefined);
    await this.consumer?.close();
    await this.prober?.close();
    this.optOuts.stop();
    this.limits.close();
    await this.database.close();
  }

  private async openProber(): Promise<Prober> {
    const { probing, http, identity } = this.config;
    const keys = new SigningKeyRepository(this.database);
    const { signRequest } = await ProberIdentity.open({
      configured: identity.signingKey,
      shared: (generate) => keys.obtain(generate),
      baseUrl: http.publicBaseUrl,
    });
    return createProber({
      userAgent: userAgentOf(VERSION, http.publicBaseUrl),
      connectTo: probing.connectTo,
      ...(probing.caFile === null ? {} : { caFile: probing.caFile }),
      ownAddresses: identity.egress.flatMap((range) => /^(.*)\/(?:32|128)$/.exec(range)?.[1] ?? []),
      signRequest,
      budget: this.budgets,
      optedOut: (host) => this.optOuts.covers(host),
    });
  }
}

/** Composition of the worker: a queue consumer that looks at hosts. It knows nothing of money. */
@Module({})
export class WorkerModule {
  static with(config: Config, logger: Logger): DynamicModule {
    return {
      module: WorkerModule,
      providers: [{ provide: WorkerParts, useFactory: () => new WorkerParts(config, logger) }],
    };
  }
}
