import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import type { Config } from '@app/config';
import { OptOuts, type LimitStore } from '@app/limits';
import { within, Failures } from '@app/platform';
import { Database } from '@app/storage';
import type { Prober } from '@app/probing';
import { createConsumer, PROBE_QUEUES, queueConnection, type ProbeConsumer, type ProbeQueue } from '@app/queue';
import { AlertDelivery } from './schedule/alert-delivery';
import { CensusJobs } from './jobs/census-jobs';
import { FREE_PLACES } from './jobs/census-share';
import { JudgingThreads } from './judging/judging-threads';
import { ProbeProcessor } from './probe.processor';
import { Heartbeat } from './heartbeat';
import { WorkerSchedule } from './schedule/worker-schedule';
import { CONFIG, LIMIT_STORE, PROBER } from './jobs/tokens';

/** Checks of claims under way at once in a worker. */
const CLAIM_PLACES = 2;
/** How long a worker that ends waits for a storage that is away to take its leave, in milliseconds. */
const PATIENCE_MS = 2_000;

/** What takes work: begins when everything else is open, and ends first. Nest destroys modules before it shuts down. */
@Injectable()
export class Intake implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly consumers: ProbeConsumer[] = [];

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly failures: Failures,
    private readonly processor: ProbeProcessor,
    private readonly census: CensusJobs,
    private readonly schedule: WorkerSchedule,
    private readonly heartbeat: Heartbeat,
    private readonly alerts: AlertDelivery,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { redis, database } = this.config;
    for (const queue of PROBE_QUEUES) {
      const consumer = await createConsumer(queueConnection(redis?.url ?? null, database.url), queue, {
        concurrency: placesOf(queue, this.config),
        process: (job) => ('domain' in job ? this.census.run(job) : this.processor.process(job)),
        onError: this.failures.of('queue', 'queue or job failed', 'error'),
      });
      this.consumers.push(consumer);
    }
    await this.schedule.start();
    await this.alerts.start();
    await this.heartbeat.start();
  }

  /** Waits for the running probes, which somebody may have paid for, and only a while for what is begun again anyway. */
  async onModuleDestroy(): Promise<void> {
    const others = Promise.allSettled([this.heartbeat.stop(), this.schedule.close(), this.alerts.close()]);
    await Promise.allSettled([
      within(PATIENCE_MS, others, () => undefined),
      ...this.consumers.map((consumer) => consumer.close()),
    ]);
  }
}

/** Jobs of a queue that a worker does at once: slow free ones must not take the places of probes that a request waits for. */
function placesOf(queue: ProbeQueue, { probing, censusSlots }: Config): number {
  return { live: probing.concurrency, presence: FREE_PLACES + censusSlots, claims: CLAIM_PLACES }[queue];
}

/** What probes work with: closed when none runs any more, the database last. */
@Injectable()
export class OpenDeps implements OnApplicationShutdown {
  constructor(
    @Inject(PROBER) private readonly prober: Prober,
    private readonly judging: JudgingThreads,
    private readonly optOuts: OptOuts,
    @Inject(LIMIT_STORE) private readonly limits: LimitStore,
    private readonly database: Database,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.prober.close();
    await this.judging.close();
    this.optOuts.stop();
    this.limits.close();
    await this.database.close();
  }
}
