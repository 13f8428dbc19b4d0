import { Database, HeartbeatRepository } from '@app/storage';

/** Longest wait for the database, in milliseconds: the next worker is not kept waiting. */
const TIMEOUT_MS = 2_000;

/** Takes the heartbeat of a dead worker away, so that no buyer is asked for money that nothing would be done for. */
export async function forgetWorkers(databaseUrl: string): Promise<void> {
  const database = new Database(databaseUrl, { maxConnections: 1, statementMs: TIMEOUT_MS });
  try {
    await new HeartbeatRepository(database).forgetAll();
  } finally {
    await database.close();
  }
}
