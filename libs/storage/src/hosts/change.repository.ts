import { defined } from '@app/platform';
import { DriftEvent, type ChangeRecord } from '@app/reports';
import type { Database } from '../database/database';

/** The changes of hosts, newest first. */
export class ChangeRepository {
  constructor(private readonly database: Database) {}

  /**
   * Up to `limit` events of a host, newest first, and older than the event `before` if given. Reads along the index.
   */
  async latest(domain: string, limit: number, before?: bigint): Promise<readonly ChangeRecord[]> {
    const rows = await this.database.prisma.changeEvent.findMany({
      where: { domain, id: defined({ lt: before }) },
      orderBy: { id: 'desc' },
      take: limit,
      omit: { domain: true },
    });
    return rows.map((row) => ({
      ...row,
      id: row.id.toString(),
      at: row.at.toISOString(),
      kind: DriftEvent.shape.kind.parse(row.kind),
    }));
  }
}
