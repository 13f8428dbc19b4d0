import type { Database } from '../database/database';

const DAY_MS = 86_400_000;

/** A worker without a heartbeat for this long counts as gone. */
const ALIVE = "interval '10 seconds'";

/**
 * Which workers run. Admission reads it before a payment is requested. A worker's start and stop are SQL, and what is
 * about seconds goes by the database's clock, the one that all machines have in common.
 */
export class HeartbeatRepository {
  constructor(private readonly database: Database) {}

  async beat(workerId: string, concurrency: number): Promise<void> {
    await this.database.pool.query(
      `INSERT INTO worker_pulse (id, concurrency, seen_at) VALUES ($1, $2, now())
       ON CONFLICT (id) DO UPDATE SET concurrency = $2, seen_at = now()`,
      [workerId, concurrency],
    );
  }

  async stop(workerId: string): Promise<void> {
    await this.database.pool.query('DELETE FROM worker_pulse WHERE id = $1', [workerId]);
  }

  /** Forgets all workers, for who saw one die: those that live are back with their next beat. */
  async forgetAll(): Promise<void> {
    await this.database.pool.query('DELETE FROM worker_pulse');
  }

  /** Forgets workers that were killed: those that stop take themselves off. */
  async forget(): Promise<void> {
    await this.database.prisma.workerHeartbeat.deleteMany({ where: { seenAt: { lt: new Date(Date.now() - DAY_MS) } } });
  }

  /** Probes all living workers can run at once; 0 when none lives. */
  async capacity(): Promise<number> {
    const { rows } = await this.database.pool.query<{ capacity: string | null }>(
      `SELECT sum(concurrency) AS capacity FROM worker_pulse WHERE seen_at > now() - ${ALIVE}`,
    );
    return Number(rows[0]?.capacity ?? 0);
  }
}
