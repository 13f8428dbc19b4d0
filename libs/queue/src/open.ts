import {
  createPostgresBackend,
  Queue,
  withBackend,
  Worker,
  type PostgresConnectionOptions,
  type WorkerOptions,
} from 'bullmq';
import type { QueueConnection } from './connection';
import { patiently } from './patient-close';

/** Jobs of a Postgres queue live in a schema of their own, which BullMQ migrates itself. */
const QUEUE_SCHEMA = 'bullmq';
const PRODUCER_CONNECTIONS = 4;
const CONSUMER_CONNECTIONS = 6;

/** The side of a queue that adds jobs. It fails at once while the backend is away. */
export function openQueue<Data>(connection: QueueConnection, name: string): Queue<Data> {
  if (connection.backend === 'redis') {
    return new Queue<Data>(name, {
      connection: { url: connection.url, enableOfflineQueue: false, maxRetriesPerRequest: 1 },
    });
  }
  const { Queue: PostgresQueue } = withBackend(createPostgresBackend);
  return new PostgresQueue<Data>(name, {
    connection: postgres(connection.url, PRODUCER_CONNECTIONS),
  }) as unknown as Queue<Data>;
}

/** The side of a queue that takes jobs. */
export interface OpenWorker<Data> {
  readonly worker: Worker<Data>;
  /** Takes no more jobs, waits for the running ones, and lets go of the backend. */
  readonly close: () => Promise<void>;
}

export function openWorker<Data>(
  connection: QueueConnection,
  name: string,
  process: (job: { readonly name: string; readonly data: Data }) => Promise<void>,
  settings: Omit<WorkerOptions, 'connection'>,
): OpenWorker<Data> {
  const running = new Set<Promise<void>>();
  const run = (job: { readonly name: string; readonly data: Data }): Promise<void> => {
    const done = process(job).finally(() => running.delete(done));
    running.add(done);
    return done;
  };
  const worker = workerOn(connection, name, run, settings);
  return {
    worker,
    close: async () => {
      const closed = worker.close();
      await Promise.allSettled(running);
      await patiently(closed);
    },
  };
}

function workerOn<Data>(
  connection: QueueConnection,
  name: string,
  run: (job: { readonly name: string; readonly data: Data }) => Promise<void>,
  settings: Omit<WorkerOptions, 'connection'>,
): Worker<Data> {
  if (connection.backend === 'redis') {
    return new Worker<Data>(name, run, {
      ...settings,
      connection: { url: connection.url, maxRetriesPerRequest: null },
    });
  }
  const { Worker: PostgresWorker } = withBackend(createPostgresBackend);
  return new PostgresWorker<Data>(name, run, {
    ...settings,
    connection: postgres(connection.url, CONSUMER_CONNECTIONS),
  }) as unknown as Worker<Data>;
}

function postgres(connectionString: string, max: number): PostgresConnectionOptions {
  return { connectionString, schema: QUEUE_SCHEMA, max, migrate: true };
}
