import { Database, HeartbeatRepository } from '@app/storage';

/** Timeout for the database, in milliseconds. It is short, because the next worker waits for it. */
const TIMEOUT_MS = 2_000;

/** Deletes the heartbeat of a dead worker, so that buyers are not asked to pay while no worker runs. */
export async function forgetWorkers(databaseUrl: string): Promise<void> {
  const database = new Database(databaseUrl, { maxConnections: 1, statementMs: TIMEOUT_MS });
  try {
    await new HeartbeatRepository(database).forgetAll();
  } finally {
    await database.close();
  }
}
