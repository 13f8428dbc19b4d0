import { openQueue, openWorker, type QueueConnection, closeWithin } from './open';

/** The queue of scheduled jobs. */
export const SCHEDULE_QUEUE = 'schedule';

/** A recurring job. */
export interface ScheduledJob {
  readonly everyMs: number;
  /** Errors are reported, and the job runs again at its next time. */
  readonly run: () => Promise<void>;
}

interface Schedule {
  /** Stops taking jobs, and waits for the running one. */
  close(): Promise<void>;
}

/** Finished jobs are kept for the board only. */
const KEPT = { removeOnComplete: { count: 50 }, removeOnFail: { age: 7 * 86_400, count: 200 } };

/**
 * Stores the schedule in the queue (BullMQ job schedulers), so that each job runs once per period with any number of
 * workers. A new job is due at once. Names without a job are removed, even if an earlier start added them.
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
