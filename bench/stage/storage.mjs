// Postgres and Redis of the stage's own.
import { join } from 'node:path';
import { built } from './built.mjs';

const { startPostgres } = built('apps/standalone/src/embedded/embedded-postgres');
const { startQueue } = built('apps/standalone/src/embedded/embedded-queue');
const { Database, migrate } = built('libs/persistence/src/index');

/** A migrated database, with the settings `npm start` uses unless others are given. */
export async function putPostgres(stage, settings = {}) {
  const postgres = await startPostgres({ dir: join(stage.dir, 'postgres'), settings });
  stage.later(() => postgres.process.stop());
  await migrate(postgres.url);
  const database = new Database(postgres.url);
  stage.later(() => database.close());
  return { url: postgres.url, database };
}

/** @throws on a machine without redis-server: the rows that need it name it as their queue */
export async function putRedis(stage) {
  const redis = await startQueue({ dir: join(stage.dir, 'redis'), path: process.env.PATH });
  if (redis === null) throw new Error('this row needs redis-server on the PATH');
  stage.later(() => redis.process.stop());
  return redis.url;
}
