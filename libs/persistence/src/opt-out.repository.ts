import type { Database } from './database';

/** The operator's list of hosts that are never probed. */
export class OptOutRepository {
  constructor(private readonly database: Database) {}

  async list(): Promise<readonly string[]> {
    const { rows } = await this.database.pool.query<{ domain: string }>('SELECT domain FROM opt_out ORDER BY domain');
    return rows.map(({ domain }) => domain);
  }

  async add(domain: string): Promise<void> {
    await this.database.pool.query('INSERT INTO opt_out (domain) VALUES ($1) ON CONFLICT DO NOTHING', [domain]);
  }

  /** Whether the name was on the list. */
  async remove(domain: string): Promise<boolean> {
    const { rowCount } = await this.database.pool.query('DELETE FROM opt_out WHERE domain = $1', [domain]);
    return rowCount === 1;
  }
}
