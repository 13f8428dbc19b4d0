import { PrismaPg } from '@prisma/adapter-pg';
import { Pool, type PoolClient } from 'pg';
import { PrismaClient } from './generated/client';

/** One connection pool per process: Prisma for ordinary access, `pool` for the hot read and for guarded statements. */
export class Database {
  readonly pool: Pool;
  readonly prisma: PrismaClient;

  constructor(
    readonly url: string,
    options: { readonly maxConnections?: number } = {},
  ) {
    this.pool = new Pool({ connectionString: url, max: options.maxConnections ?? 10 });
    // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
    this.pool.on('error', () => undefined);
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

  async close(): Promise<void> {
    await this.prisma.$disconnect();
    if (!this.pool.ended) await this.pool.end();
  }
}
