import {
  Inject,
  Module,
  type DynamicModule,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import type { Config } from '@app/config';
import { Failures, within } from '@app/platform';
import { createConsumer, PROBE_QUEUES, queueConnection, type ProbeConsumer, type ProbeQueue } from '@app/queue';
import type { Parts } from './compose';
import { Heartbeat } from './heartbeat';
import { FREE_PLACES } from './jobs/census-share';
import { WorkerMetrics } from './jobs/worker-metrics';
import { JudgingThreads } from './judging/judging-threads';

/** Concurrent claim checks in a worker. */
const CLAIM_PLACES = 2;
/** How long a stopping worker tries to remove its heartbeat from a database that is down, in milliseconds. */
const TIMEOUT_MS = 2_000;

const PARTS = Symbol('Parts');

/** Consumers start after everything else is open, and stop first. */
@Module({})
export class WorkerModule implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  private readonly consumers: ProbeConsumer[] = [];

  constructor(@Inject(PARTS) private readonly parts: Parts) {}

  static of(parts: Parts): DynamicModule {
    const { failures, heartbeat, judging, metrics } = parts;
    const values = [
      [PARTS, parts],
      [Failures, failures],
      [Heartbeat, heartbeat],
      [JudgingThreads, judging],
      [WorkerMetrics, metrics],
    ] as const;
    return { module: WorkerModule, providers: values.map(([provide, useValue]) => ({ provide, useValue })) };
  }

  async onApplicationBootstrap(): Promise<void> {
    const { config, failures, census, processor, schedule, alerts, heartbeat } = this.parts;
    const { redis, database } = config;
    for (const queue of PROBE_QUEUES) {
      const consumer = await createConsumer(queueConnection(redis?.url ?? null, database.url), queue, {
        concurrency: placesOf(queue, config),
        process: (job) => ('domain' in job ? census.run(job) : processor.process(job)),
        onError: failures.of('queue', 'queue error or failed job', 'error'),
      });
      this.consumers.push(consumer);
    }
    await schedule.start();
    await alerts.start();
    await heartbeat.start();
  }

  /** Waits for running probes, which may be paid; other work is restarted anyway, so it gets little time. */
  async onModuleDestroy(): Promise<void> {
    const { census, heartbeat, schedule, alerts } = this.parts;
    census.stop();
    const others = Promise.allSettled([heartbeat.stop(), schedule.close(), alerts.close()]);
    await Promise.allSettled([
      within(TIMEOUT_MS, others, () => undefined),
      ...this.consumers.map((consumer) => consumer.close()),
    ]);
  }

  /** Closes the connections of probes after the last one has ended, the database last. */
  async onApplicationShutdown(): Promise<void> {
    const { census, prober, judging, optOuts, store, database } = this.parts;
    await census.store();
    await prober.close();
    await judging.close();
    optOuts.stop();
    store.close();
    await database.close();
  }
}

/**
 * Concurrent jobs per queue in a worker: slow free ones must not take the slots of probes that a request is waiting
 * for.
 */
function placesOf(queue: ProbeQueue, { probing, censusSlots }: Config): number {
  return { live: probing.concurrency, presence: FREE_PLACES + censusSlots, claims: CLAIM_PLACES }[queue];
}
