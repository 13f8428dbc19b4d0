import { PrismaPg } from '@prisma/adapter-pg';
import { Pool, type PoolClient } from 'pg';
import { connectTimeoutMs } from './connect-timeout';
import { PrismaClient } from './generated/client';

/** One connection pool per process: Prisma for ordinary access, `pool` for the hot read and for guarded statements. */
export class Database {
  readonly pool: Pool;
  readonly prisma: PrismaClient;

  constructor(
    readonly url: string,
    options: { readonly maxConnections?: number } = {},
  ) {
    this.pool = new Pool({
      connectionString: url,
      max: options.maxConnections ?? 10,
      connectionTimeoutMillis: connectTimeoutMs(url),
    });
    // Without listeners a connection that breaks would end the process. The pool replaces an idle one; one that is in use
    // fails the next statement of who uses it.
    this.pool.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined));
    this.prisma = new PrismaClient({ adapter: new PrismaPg(this.pool) });
  }

  /** Runs `work` in a transaction; any error rolls back and is rethrown. */
  async transaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    try {
      await client.query('BEGIN');
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch(() => undefined);
      throw error;
    } finally {
      client.release();
    }
  }

  /**
   * Runs `work` unless another process is at it, and returns false then. The lock belongs to a connection, so it ends
   * with this process however it ends.
   * @param lock a number that only this kind of work uses.
   */
  async exclusively(lock: number, work: () => Promise<void>): Promise<boolean> {
    const client = await this.pool.connect();
    let broken: Error | undefined;
    try {
      const { rows } = await client.query<{ got: boolean }>('SELECT pg_try_advisory_lock($1) AS got', [lock]);
      if (!rows[0]?.got) return false;
      try {
        await work();
      } finally {
        // A connection that cannot unlock is closed instead, which unlocks as well.
        await client.query('SELECT pg_advisory_unlock($1)', [lock]).catch((error: unknown) => {
          broken = error instanceof Error ? error : new Error('unlocking failed');
        });
      }
      return true;
    } finally {
      client.release(broken);
    }
  }

  async close(): Promise<void> {
    await this.prisma.$disconnect();
    if (!this.pool.ended) await this.pool.end();
  }
}
