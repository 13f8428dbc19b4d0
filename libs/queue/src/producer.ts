import { PRIORITY_LIMIT, type JobsOptions } from 'bullmq';
import { within } from '@app/platform';
import { openQueue, type QueueConnection, closeWithin } from './open';
import type { CensusJob, ProbeJob, ProbeQueue } from './probe-jobs';

/** A backend that says nothing for so long is away, in milliseconds: drivers wait for ever. */
const ANSWERS_WITHIN_MS = 5_000;

/** Finished jobs are kept for the board; answers live in Postgres. Failed ones longer: they are bugs of this service. */
const JOB_OPTIONS: JobsOptions = {
  attempts: 1,
  removeOnComplete: { age: 3_600, count: 1_000 },
  removeOnFail: { age: 86_400, count: 1_000 },
};

/** The last place of all: what has no priority goes first. A host waits once, and its row says what came of it. */
const CENSUS_OPTIONS: JobsOptions = { priority: PRIORITY_LIMIT, removeOnComplete: true, removeOnFail: true };

/** The gateway's side of a queue. Fails at once while the backend is away, so that no caller waits for a lost job. */
export interface ProbeProducer {
  /**
   * @param name shown to operators on the board; what to do is in the run
   * @throws when the job could not be stored; then nothing will run.
   */
  add(name: string, job: ProbeJob): Promise<void>;
  /** Hosts of a census that may be added until so many wait. */
  censusRoom(most: number): Promise<number>;
  addCensus(jobs: readonly CensusJob[]): Promise<void>;
  /** Jobs by state, as the backend counts them. */
  counts(): Promise<Readonly<Record<string, number>>>;
  close(): Promise<void>;
}

/** @param onError told of faults of the connection, which reconnects by itself; every failed `add` is its caller's */
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
    throw new Error('the queue did not answer in time');
  });
}
