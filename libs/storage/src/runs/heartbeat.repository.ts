import { z } from 'zod';
import type { Database } from '../database/database';
import { Prisma } from '../generated/client';

const DAY_MS = 86_400_000;

/**
 * Which workers are running. Admission reads it before a payment is requested. Readiness and queries at start use plain
 * SQL, see {@link Database}. Times are by the database's clock.
 */
export class HeartbeatRepository {
  constructor(private readonly database: Database) {}

  async beat(workerId: string, concurrency: number): Promise<void> {
    await this.database.rawQuery(
      Prisma.sql`INSERT INTO worker_pulse (id, concurrency, seen_at) VALUES (${workerId}::uuid, ${concurrency}::int, now())
        ON CONFLICT (id) DO UPDATE SET concurrency = excluded.concurrency, seen_at = now()`,
    );
  }

  async stop(workerId: string): Promise<void> {
    await this.database.prisma.workerHeartbeat.deleteMany({ where: { id: workerId } });
  }

  /** Deletes all heartbeats after a worker crashed; running workers return with their next one. */
  async forgetAll(): Promise<void> {
    await this.database.rawQuery(Prisma.sql`DELETE FROM worker_pulse`);
  }

  /** Deletes the heartbeats of killed workers; stopping workers delete their own. */
  async forget(): Promise<void> {
    await this.database.prisma.workerHeartbeat.deleteMany({ where: { seenAt: { lt: new Date(Date.now() - DAY_MS) } } });
  }

  /**
   * How many probes all running workers can make at once; 0 if none is running. A worker without a heartbeat for 10
   * seconds counts as gone.
   */
  async capacity(): Promise<number> {
    const rows = await this.database.rawQuery(
      Prisma.sql`SELECT coalesce(sum(concurrency), 0)::int AS capacity FROM worker_pulse WHERE seen_at > now() - interval '10 seconds'`,
    );
    return Capacity.parse(rows)[0].capacity;
  }
}

const Capacity = z.tuple([z.object({ capacity: z.number() })]);
