import { PRIORITY_LIMIT, type JobsOptions } from 'bullmq';
import { within } from '@app/platform';
import { openQueue, type QueueConnection, closeWithin } from './open';
import type { CensusJob, ProbeJob, ProbeQueue } from './probe-jobs';

/** A backend that is silent for this long counts as down, in milliseconds; drivers would wait forever. */
const ANSWERS_WITHIN_MS = 5_000;

/** Finished jobs are kept for the board; answers live in Postgres. Failed ones longer: they are bugs of this service. */
const JOB_OPTIONS: JobsOptions = {
  attempts: 1,
  removeOnComplete: { age: 3_600, count: 1_000 },
  removeOnFail: { age: 86_400, count: 1_000 },
};

/** The last place of all: what has no priority goes first. A host waits once, and its row says what came of it. */
const CENSUS_OPTIONS: JobsOptions = { priority: PRIORITY_LIMIT, removeOnComplete: true, removeOnFail: true };

/** The gateway's side of a queue. Fails at once while the backend is down, so that no caller waits for a lost job. */
export interface ProbeProducer {
  /**
   * @param name shown to operators on the board; what to do is in the run
   * @throws when the job could not be stored; then nothing runs.
   */
  add(name: string, job: ProbeJob): Promise<void>;
  /** How many census hosts may be added until `most` of them wait. */
  censusRoom(most: number): Promise<number>;
  addCensus(jobs: readonly CensusJob[]): Promise<void>;
  /** Jobs by state, as the backend counts them. */
  counts(): Promise<Readonly<Record<string, number>>>;
  close(): Promise<void>;
}

/** @param onError called on connection errors, after which the connection reconnects by itself; a failed `add` rejects */
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
