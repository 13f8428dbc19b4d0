import { Module, type DynamicModule, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { VERSION, type Config } from '@app/config';
import type { Logger } from '@app/observability';
import { Database, HostRepository, PulseRepository, RunRepository } from '@app/persistence';
import { createProber, userAgentOf, type Prober } from '@app/probing';
import { createConsumer, queueConnection, type ProbeConsumer } from '@app/queue';
import { HostRecorder } from './host-recorder';
import { ProbeProcessor } from './probe.processor';
import { Pulse } from './pulse';

/** Everything one worker process holds open. Stops in the order that loses nothing: intake, running looks, sockets. */
class WorkerParts implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly database: Database;
  private readonly prober: Prober;
  private readonly pulse: Pulse;
  private consumer: ProbeConsumer | undefined;

  constructor(
    private readonly config: Config,
    private readonly logger: Logger,
  ) {
    this.database = new Database(config.database.url);
    this.prober = createProber({
      userAgent: userAgentOf(VERSION, config.http.publicBaseUrl),
      connectTo: config.probing.connectTo,
      ...(config.probing.caFile === null ? {} : { caFile: config.probing.caFile }),
    });
    this.pulse = new Pulse(new PulseRepository(this.database), config.probing.concurrency, (error) => {
      this.logger.warn({ err: error }, 'pulse not written');
    });
  }

  async onApplicationBootstrap(): Promise<void> {
    const { config, logger } = this;
    const recorder = new HostRecorder(new HostRepository(this.database));
    const processor = new ProbeProcessor(new RunRepository(this.database), { prober: this.prober, recorder }, logger);
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
    await this.prober.close();
    await this.database.close();
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
