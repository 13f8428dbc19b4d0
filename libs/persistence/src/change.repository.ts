import type { Database } from './database';

export interface StoredChange {
  readonly id: string;
  readonly at: string;
  readonly protocol: string;
  readonly kind: string;
  readonly summary: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** Drift of hosts, newest first. */
export class ChangeRepository {
  constructor(private readonly database: Database) {}

  /** Up to `limit` events of a host, newest first, older than the event `before` when given. */
  async latest(domain: string, limit: number, before?: bigint): Promise<readonly StoredChange[]> {
    const rows = await this.database.prisma.changeEvent.findMany({
      where: { domain, ...(before === undefined ? {} : { id: { lt: before } }) },
      orderBy: { id: 'desc' },
      take: limit,
    });
    return rows.map((row) => ({
      id: row.id.toString(),
      at: row.at.toISOString(),
      protocol: row.protocol,
      kind: row.kind,
      summary: row.summary,
      before: row.before,
      after: row.after,
    }));
  }
}
