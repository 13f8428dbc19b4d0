import { openQueue, openWorker, type QueueConnection, closeWithin } from './open';

/** The queue of jobs that no request begins. */
export const SCHEDULE_QUEUE = 'schedule';

/** Work that is done again and again. */
export interface ScheduledJob {
  readonly everyMs: number;
  /** What it throws is reported, and the next time comes all the same. */
  readonly run: () => Promise<void>;
}

interface Schedule {
  /** Takes no more jobs and waits for the running one. */
  close(): Promise<void>;
}

/** Finished jobs are for the board only. */
const KEPT = { removeOnComplete: { count: 50 }, removeOnFail: { age: 7 * 86_400, count: 200 } };

/**
 * Keeps the schedule in the queue (BullMQ job schedulers), so that each job comes once per period however many workers
 * there are; a new one is due at once. A name without a job is taken off, also when an earlier start put it on.
 */
export async function keepSchedule(
  connection: QueueConnection,
  jobs: Readonly<Record<string, ScheduledJob | null>>,
  onError: (error: Error) => void,
): Promise<Schedule> {
  const queue = openQueue<object>(connection, SCHEDULE_QUEUE);
  queue.on('error', onError);
  await queue.waitUntilReady();
  for (const [name, job] of Object.entries(jobs)) {
    if (job) await queue.upsertJobScheduler(name, { every: job.everyMs }, { name, data: {}, opts: KEPT });
    else await queue.removeJobScheduler(name);
  }
  const run = async ({ name }: { readonly name: string }): Promise<void> => jobs[name]?.run();
  const { worker, close } = openWorker<object>(connection, SCHEDULE_QUEUE, run, { concurrency: 1 });
  worker.on('error', onError);
  worker.on('failed', (_job, error) => {
    onError(error);
  });
  await worker.waitUntilReady();
  return {
    close: async () => {
      await close();
      await closeWithin(queue.close());
    },
  };
}
