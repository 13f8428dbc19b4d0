import { defined } from '@app/objects';
import { openQueue, openWorker, type QueueConnection } from './open';
import { patiently } from './patient-close';

/** Some hosts of one of the queues of a census; their rows say what is still to do. */
export interface CensusJob {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  readonly shard: number;
  readonly slice: number;
}

/** A worker that dies gives its jobs back after this long: no caller waits for one. */
const LOCK_MS = 30_000;

/**
 * The queue of a shard. On Redis each has one of its own, with keys under a hash tag, so that a Redis Cluster can keep each of them
 * on another node. Postgres keeps all queues in one table, where another queue is only more connections.
 */
function queueOf({ backend }: QueueConnection, shard: number): { readonly name: string; readonly prefix?: string } {
  return backend === 'postgres' ? { name: 'census' } : { name: `census-${shard}`, prefix: `{census-${shard}}` };
}

/**
 * Puts jobs into the queues of their shards, unless they stand there already: a job has the name of its slice, and none is
 * kept when it is done.
 * @throws when a backend is out of reach
 */
export async function enqueueCensus(
  connection: QueueConnection,
  jobs: readonly CensusJob[],
  onError: (error: Error) => void,
): Promise<void> {
  const queues = new Map(jobs.map(({ shard }) => queueOf(connection, shard)).map((queue) => [queue.name, queue]));
  for (const { name, prefix } of queues.values()) {
    const queue = openQueue<CensusJob>(connection, name, prefix);
    queue.on('error', onError);
    try {
      await queue.waitUntilReady();
      const own = jobs.filter(({ shard }) => queueOf(connection, shard).name === name);
      await queue.addBulk(
        own.map((data) => ({
          name: 'census',
          data,
          opts: { jobId: `${data.day}-${data.shard}-${data.slice}`, removeOnComplete: true, removeOnFail: true },
        })),
      );
    } finally {
      await patiently(queue.close());
    }
  }
}

/** Takes the jobs of all shards, as many at a time. At least once each: what `process` does must bear a second time. */
export async function consumeCensus(
  connection: QueueConnection,
  shards: number,
  process: (job: CensusJob) => Promise<void>,
  onError: (error: Error) => void,
): Promise<{ close(): Promise<void> }> {
  const all = Array.from({ length: shards }, (_, shard) => queueOf(connection, shard));
  const queues = new Map(all.map((queue) => [queue.name, queue]));
  const consumers = [...queues.values()].map(({ name, prefix }) =>
    openWorker<CensusJob>(connection, name, ({ data }) => process(data), {
      ...defined({ prefix }),
      concurrency: shards / queues.size,
      lockDuration: LOCK_MS,
      maxStalledCount: 1_000, // the rows count how often a host was tried
    }),
  );
  for (const { worker } of consumers) {
    worker.on('error', onError);
    worker.on('failed', (_job, error) => {
      onError(error);
    });
  }
  await Promise.all(consumers.map(({ worker }) => worker.waitUntilReady()));
  return {
    close: async () => {
      await Promise.all(consumers.map(({ close }) => close()));
    },
  };
}
