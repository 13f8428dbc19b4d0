import { within } from '@app/platform';
import {
  createPostgresBackend,
  Queue,
  withBackend,
  Worker,
  type PostgresConnectionOptions,
  type WorkerOptions,
} from 'bullmq';
import { PoolShare } from './postgres-pool';

/** The backend of BullMQ: Redis, or the existing Postgres if there is no Redis. */
export type QueueConnection =
  { readonly backend: 'redis'; readonly url: string } | { readonly backend: 'postgres'; readonly url: string };

export function queueConnection(redisUrl: string | null, databaseUrl: string): QueueConnection {
  return redisUrl === null ? { backend: 'postgres', url: databaseUrl } : { backend: 'redis', url: redisUrl };
}

/** The producing side of a queue. It fails immediately while the backend is down. */
export function openQueue<Data>(connection: QueueConnection, name: string): Queue<Data> {
  if (connection.backend === 'redis') {
    return new Queue<Data>(name, {
      connection: { url: connection.url, enableOfflineQueue: false, maxRetriesPerRequest: 1 },
    });
  }
  const { Queue: PostgresQueue } = withBackend(createPostgresBackend);
  const pool = new PoolShare(connection.url);
  const queue = new PostgresQueue<Data>(name, { connection: asConnection(pool) }) as unknown as Queue<Data>;
  const close = queue.close.bind(queue);
  return Object.assign(queue, { close: () => close().then(() => pool.end()) });
}

/** The consuming side of a queue. */
interface OpenWorker<Data> {
  readonly worker: Worker<Data>;
  /** Stops taking jobs, waits for the running ones, and closes the connections. */
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
  const { worker, letGo } = workerOn(connection, name, run, settings);
  return {
    worker,
    close: async () => {
      const closed = Promise.allSettled([worker.close()]);
      await Promise.allSettled(running);
      await closeWithin(closed);
      await closeWithin(letGo());
    },
  };
}

function workerOn<Data>(
  connection: QueueConnection,
  name: string,
  run: (job: { readonly name: string; readonly data: Data }) => Promise<void>,
  settings: Omit<WorkerOptions, 'connection'>,
): { readonly worker: Worker<Data>; readonly letGo: () => Promise<void> } {
  if (connection.backend === 'redis') {
    const worker = new Worker<Data>(name, run, {
      ...settings,
      connection: { url: connection.url, maxRetriesPerRequest: null },
    });
    return { worker, letGo: () => Promise.resolve() };
  }
  const { Worker: PostgresWorker } = withBackend(createPostgresBackend);
  const pool = new PoolShare(connection.url);
  const unheard = pool.listening();
  const worker = new PostgresWorker<Data>(name, run, { ...settings, connection: asConnection(pool) });
  const letGo = (): Promise<void> => {
    unheard();
    return pool.end();
  };
  return { worker: worker as unknown as Worker<Data>, letGo };
}

/** BullMQ uses `connect`, `query`, `on` and `options` of a pool, and does not close a pool that it was given. */
function asConnection(pool: PoolShare): PostgresConnectionOptions {
  return pool as unknown as PostgresConnectionOptions;
}

/** How long closing a connection may take, in milliseconds. */
const TIMEOUT_MS = 1_500;

/**
 * Waits for `closed`, but not forever: drivers wait for an unreachable backend, and a process must be able to exit
 * without its queue. The exit closes the rest.
 */
export async function closeWithin(closed: Promise<unknown>): Promise<void> {
  await within(TIMEOUT_MS, closed, () => undefined);
}
