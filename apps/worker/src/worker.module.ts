import { Module, type DynamicModule, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { VERSION, type Config } from '@app/config';
import { ProberIdentity, userAgentOf } from '@app/identity';
import { NegativeCache, openLimitStore, OptOuts, TargetBudgets, type LimitStore } from '@app/limits';
import { sparing, type Logger } from '@app/observability';
import {
  Database,
  HostRepository,
  OptOutRepository,
  PulseRepository,
  RunRepository,
  ServerSecretRepository,
} from '@app/persistence';
import { createProber, type Prober } from '@app/probing';
import { createConsumer, PROBE_QUEUES, queueConnection, type ProbeConsumer, type QueueConnection } from '@app/queue';
import { ConsiderateProber } from './considerate-prober';
import { HostRecorder } from './host-recorder';
import { JudgingThreads } from './judging/judging-threads';
import { garbageCollector, QuietCollection } from './memory/quiet-collection';
import { MeteredProber } from './metrics/metered-prober';
import { WorkerMetrics } from './metrics/worker-metrics';
import { ProbeProcessor } from './probe.processor';
import { Pulse } from './pulse';
import { startSchedule } from './schedule/worker-schedule';
import { TimelyProber } from './timely-prober';

/** Free looks a worker runs at once: slow ones must not take the places of looks that somebody waits for. */
const PRESENCE_CONCURRENCY = 4;

/** Everything one worker process holds open. Stops in the order that loses nothing: intake, running looks, sockets. */
class WorkerParts implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly metrics = new WorkerMetrics();
  readonly pulse: Pulse;
  private readonly database: Database;
  private readonly limits: LimitStore;
  private readonly budgets: TargetBudgets;
  private readonly optOuts: OptOuts;
  private readonly judging: JudgingThreads;
  private prober: Prober | undefined;
  private readonly consumers: ProbeConsumer[] = [];
  private schedule: { close(): Promise<void> } | undefined;

  constructor(
    private readonly config: Config,
    private readonly logger: Logger,
    threadFile: string,
  ) {
    this.judging = new JudgingThreads(threadFile);
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
    await Promise.all([optOuts.start(), this.judging.start()]);
    const inTime = new TimelyProber(await this.openProber());
    this.prober = new MeteredProber(new ConsiderateProber(inTime, this.budgets), this.metrics);
    const hosts = new HostRepository(this.database);
    const recorder = new HostRecorder(hosts, this.metrics);
    const runs = new RunRepository(this.database);
    const jobs = { prober: this.prober, recorder, hosts, runs, judging: this.judging };
    const processor = new ProbeProcessor({ runs, jobs, optOuts, metrics: this.metrics, logger });
    const connection = queueConnection(config.redis?.url ?? null, config.database.url);
    await this.startConsumers(connection, processor);
    this.schedule = await startSchedule({
      config,
      connection,
      database: this.database,
      hosts,
      budgets: this.budgets,
      onError: sparing((error, leftOut) => {
        logger.error({ err: error, leftOut }, 'scheduled job failed');
      }),
    });
    await this.pulse.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pulse.stop().catch(() => undefined);
    await this.schedule?.close();
    await Promise.all(this.consumers.map((consumer) => consumer.close()));
    await this.prober?.close();
    await this.judging.close();
    this.optOuts.stop();
    this.limits.close();
    await this.database.close();
  }

  private async startConsumers(connection: QueueConnection, processor: ProbeProcessor): Promise<void> {
    const collectGarbage = garbageCollector();
    const quiet = new QuietCollection(() => {
      this.judging.renew();
      collectGarbage();
    });
    for (const queue of PROBE_QUEUES) {
      const consumer = await createConsumer(connection, queue, {
        concurrency: queue === 'live' ? this.config.probing.concurrency : PRESENCE_CONCURRENCY,
        process: (job) => quiet.after(() => processor.process(job)),
        onError: sparing((error, leftOut) => {
          this.logger.error({ err: error, queue, leftOut }, 'queue or job failed');
        }),
      });
      this.consumers.push(consumer);
    }
  }

  private async openProber(): Promise<Prober> {
    const { probing, http, identity } = this.config;
    const { signRequest } = await ProberIdentity.open({
      configured: identity.signingKey,
      secrets: new ServerSecretRepository(this.database),
      baseUrl: http.publicBaseUrl,
    });
    return createProber({
      userAgent: userAgentOf(VERSION, http.publicBaseUrl),
      connectTo: probing.connectTo,
      ...(probing.caFile === null ? {} : { caFile: probing.caFile }),
      ownAddresses: identity.egress.flatMap(soleAddress),
      signRequest,
      budget: this.budgets,
      negativeCache: new NegativeCache(this.limits),
      optedOut: (host) => this.optOuts.covers(host),
      onPhase: (phase, ms) => {
        this.metrics.phase(phase, ms);
      },
    });
  }
}

/** The address of a range of one; wider ranges hold neighbours of ours as well, whom we may look at. */
function soleAddress(range: string): readonly string[] {
  const address = /^(.*)\/(?:32|128)$/.exec(range)?.[1];
  return address === undefined ? [] : [address];
}

/** Composition of the worker: a queue consumer that looks at hosts. It knows nothing of money. */
@Module({})
export class WorkerModule {
  static with(config: Config, logger: Logger, threadFile: string): DynamicModule {
    return {
      module: WorkerModule,
      providers: [
        { provide: WorkerParts, useFactory: () => new WorkerParts(config, logger, threadFile) },
        { provide: WorkerMetrics, useFactory: ({ metrics }: WorkerParts) => metrics, inject: [WorkerParts] },
        { provide: Pulse, useFactory: ({ pulse }: WorkerParts) => pulse, inject: [WorkerParts] },
      ],
    };
  }
}
