import type { JobsOptions } from 'bullmq';
import type { QueueConnection } from './connection';
import { openQueue } from './open';
import { patiently } from './patient-close';
import { PROBE_JOB, type ProbeJob, type ProbeQueue } from './probe-jobs';

/** Finished jobs are kept for a look at the board; answers live in Postgres. Failed ones longer: they are our bugs. */
const JOB_OPTIONS: JobsOptions = {
  attempts: 1,
  removeOnComplete: { age: 3_600, count: 1_000 },
  removeOnFail: { age: 86_400, count: 1_000 },
};

/** The gateway's side of a queue. Fails at once while the backend is away, so that nobody waits for a lost job. */
export interface ProbeProducer {
  /** @throws when the job could not be stored; then nothing will run. */
  add(job: ProbeJob): Promise<void>;
  /** Jobs by state, as the backend counts them. */
  counts(): Promise<Readonly<Record<string, number>>>;
  close(): Promise<void>;
}

export function createProducer(connection: QueueConnection, name: ProbeQueue): ProbeProducer {
  const queue = openQueue<ProbeJob>(connection, name);
  queue.on('error', () => undefined); // every failed `add` is reported to its caller; reconnecting is the driver's work
  return {
    async add(job) {
      await queue.add(PROBE_JOB, job, JOB_OPTIONS);
    },
    counts: () => queue.getJobCounts('waiting', 'active', 'delayed', 'completed', 'failed'),
    close: () => patiently(queue.close()),
  };
}
