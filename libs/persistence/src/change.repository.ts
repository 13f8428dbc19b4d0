import type { ChangeRecord, DriftEvent } from '@app/reports';
import type { Database } from './database';

/** Drift of hosts, newest first. */
export class ChangeRepository {
  constructor(private readonly database: Database) {}

  /** Up to `limit` events of a host, newest first, older than the event `before` when given. */
  async latest(domain: string, limit: number, before?: bigint): Promise<readonly ChangeRecord[]> {
    const rows = await this.database.prisma.changeEvent.findMany({
      where: { domain, ...(before === undefined ? {} : { id: { lt: before } }) },
      orderBy: { id: 'desc' },
      take: limit,
    });
    return rows.map((row) => ({
      id: row.id.toString(),
      at: row.at.toISOString(),
      protocol: row.protocol,
      kind: row.kind as DriftEvent['kind'],
      summary: row.summary,
      before: row.before,
      after: row.after,
    }));
  }
}
