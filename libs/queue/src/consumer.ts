import { openWorker, type QueueConnection } from './open';
import type { CensusJob, ProbeJob, ProbeQueue } from './probe-jobs';

/**
 * A crashed worker loses its lock after this time and the job runs again elsewhere. It is short because a buyer may be
 * waiting, and long enough for a busy event loop to renew it (at half time).
 */
const LOCK_MS = 6_000;
const STALLED_CHECK_MS = 3_000;

/** The worker's side of a queue. */
export interface ProbeConsumer {
  /** Stops taking jobs, and waits for the running ones. */
  close(): Promise<void>;
}

interface ConsumerOptions {
  readonly concurrency: number;
  /** Delivery is at least once: a job may run again after a crash, so this must be idempotent. */
  readonly process: (job: ProbeJob | CensusJob) => Promise<void>;
  readonly onError: (error: Error) => void;
}

/** Starts consuming, and resolves when the backend is reached. */
export async function createConsumer(
  connection: QueueConnection,
  name: ProbeQueue,
  options: ConsumerOptions,
): Promise<ProbeConsumer> {
  const { worker, close } = openWorker<ProbeJob | CensusJob>(connection, name, ({ data }) => options.process(data), {
    concurrency: options.concurrency,
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_CHECK_MS,
    maxStalledCount: 2,
  });
  worker.on('error', options.onError);
  worker.on('failed', (_job, error) => {
    options.onError(error);
  });
  await worker.waitUntilReady();
  return { close };
}
