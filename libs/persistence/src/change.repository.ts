import type { ChangeRecord } from '@app/reports';
import type { Database } from './database';

/** Above every id there will be: the newest page ends nowhere. */
const NEWEST = '9223372036854775807';

type Row = Omit<ChangeRecord, 'at'> & { readonly at: Date };

/** Drift of hosts, newest first. */
export class ChangeRepository {
  constructor(private readonly database: Database) {}

  /**
   * Up to `limit` events of a host, newest first, older than the event `before` when given: one prepared statement that
   * walks the index from there, however long the history.
   */
  async latest(domain: string, limit: number, before?: bigint): Promise<readonly ChangeRecord[]> {
    const { rows } = await this.database.pool.query<Row>({
      name: 'changes_latest',
      text: `SELECT id, at, protocol, kind, summary, before, after FROM change_event
             WHERE domain = $1 AND id < $2 ORDER BY id DESC LIMIT $3`,
      values: [domain, before?.toString() ?? NEWEST, limit],
    });
    return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
  }
}
