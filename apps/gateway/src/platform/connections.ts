import type { Config } from '@app/config';
import { openLimitStore, OptOuts } from '@app/limits';
import { Failures, type Logger } from '@app/platform';
import { createProducer, queueConnection, type ProbeProducer, type ProbeQueue } from '@app/queue';
import { Database, Notices, OptOutRepository } from '@app/storage';

/** The gateway's side of the queues. */
export type Producers = Readonly<Record<ProbeQueue, ProbeProducer>>;

export type Connections = ReturnType<typeof openConnections>;

/** The connections of one gateway process, with its configuration and logger. */
export function openConnections(config: Config, logger: Logger) {
  const { database: storage, redis, targets } = config;
  const failures = new Failures(logger);
  const database = new Database(storage.url, storage);
  const queue = queueConnection(redis?.url ?? null, storage.url);
  const failed = failures.of('queue', 'lost the connection to the queue');
  const producers: Producers = {
    live: createProducer(queue, 'live', failed),
    presence: createProducer(queue, 'presence', failed),
    claims: createProducer(queue, 'claims', failed),
  };
  const listed = new OptOutRepository(database);
  return {
    ...{ config, logger, failures, database, producers },
    notices: new Notices(storage.url, failures.of('notices', 'lost the connection for database notifications')),
    limits: openLimitStore({ redisUrl: redis?.url ?? null, pool: database.pool }),
    optOuts: new OptOuts(targets.optOut, () => listed.list(), failures.of('opt_outs', 'opt-outs not read')),
  };
}

/**
 * @throws if the database cannot be reached or its secrets cannot be decrypted: a gateway that does not know the
 * opt-outs must not serve.
 */
export async function startConnections({ notices, optOuts, database }: Connections): Promise<void> {
  await Promise.all([notices.start(), optOuts.start(), database.secrets.vault()]);
}

/** Closes the connections after everything else, the database last. */
export async function closeConnections(connections: Connections): Promise<void> {
  const { optOuts, limits, notices, producers, database } = connections;
  optOuts.stop();
  limits.close();
  try {
    await Promise.all([notices, ...Object.values(producers)].map((open) => open.close()));
  } finally {
    await database.close();
  }
}
