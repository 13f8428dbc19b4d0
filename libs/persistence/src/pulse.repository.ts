import type { Database } from './database';

/** A worker that has not been heard of for this long is not counted on. */
const ALIVE = "interval '10 seconds'";

/** Which workers live. Admission reads it before money is asked for. */
export class PulseRepository {
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

  /** Forgets workers that were killed: those that stop take themselves off. */
  async forget(): Promise<void> {
    await this.database.pool.query(`DELETE FROM worker_pulse WHERE seen_at < now() - interval '1 day'`);
  }

  /** Probes all living workers can run at once; 0 when none lives. */
  async capacity(): Promise<number> {
    const { rows } = await this.database.pool.query<{ capacity: string | null }>(
      `SELECT sum(concurrency) AS capacity FROM worker_pulse WHERE seen_at > now() - ${ALIVE}`,
    );
    return Number(rows[0]?.capacity ?? 0);
  }
}
