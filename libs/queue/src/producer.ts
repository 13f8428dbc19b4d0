import { PRIORITY_LIMIT, type JobsOptions } from 'bullmq';
import { within } from '@app/platform';
import { openQueue, type QueueConnection, closeWithin } from './open';
import type { CensusJob, ProbeJob, ProbeQueue } from './probe-jobs';

/** A backend that does not answer within this time counts as down, in milliseconds; drivers would wait forever. */
const ANSWERS_WITHIN_MS = 5_000;

/**
 * Finished jobs are kept for the board only; answers are in Postgres. Failed jobs are kept longer, because they
 * indicate bugs.
 */
const JOB_OPTIONS: JobsOptions = {
  attempts: 1,
  removeOnComplete: { age: 3_600, count: 1_000 },
  removeOnFail: { age: 86_400, count: 1_000 },
};

/** The lowest priority (jobs without a priority go first). A host is enqueued once, and its row has the outcome. */
const CENSUS_OPTIONS: JobsOptions = { priority: PRIORITY_LIMIT, removeOnComplete: true, removeOnFail: true };

/**
 * The producing side of a queue. It fails immediately while the backend is down, so that nobody waits for a lost job.
 */
export interface ProbeProducer {
  /**
   * @param name shown on the operator's board; the work is described by the run
   * @throws if the job could not be stored; then nothing runs
   */
  add(name: string, job: ProbeJob): Promise<void>;
  /** How many census hosts can be added before `most` of them are waiting. */
  censusRoom(most: number): Promise<number>;
  addCensus(jobs: readonly CensusJob[]): Promise<void>;
  /** The number of jobs by state, from the backend. */
  counts(): Promise<Readonly<Record<string, number>>>;
  close(): Promise<void>;
}

/** @param onError called on connection errors; the connection reconnects by itself, and a failed `add` rejects */
export function createProducer(
  connection: QueueConnection,
  name: ProbeQueue,
  onError: (error: Error) => void,
): ProbeProducer {
  const queue = openQueue<ProbeJob | CensusJob>(connection, name);
  queue.on('error', onError);
  return {
    async add(name, job) {
      await inTime(queue.add(name, job, JOB_OPTIONS));
    },
    async censusRoom(most) {
      const { prioritized = 0 } = await inTime(queue.getJobCounts('prioritized'));
      return Math.max(0, most - prioritized);
    },
    async addCensus(jobs) {
      const named = jobs.map((data) => ({
        name: `census ${data.domain}`,
        data,
        opts: { ...CENSUS_OPTIONS, jobId: `${data.day}-${data.domain}` },
      }));
      await inTime(queue.addBulk(named));
    },
    counts: () => inTime(queue.getJobCounts('waiting', 'active', 'delayed', 'completed', 'failed')),
    close: () => closeWithin(queue.close()),
  };
}

function inTime<T>(asked: Promise<T>): Promise<T> {
  return within(ANSWERS_WITHIN_MS, asked, () => {
    throw new Error('the queue did not respond in time');
  });
}
