import { z } from 'zod';
import type { Database } from '../database/database';
import { Prisma } from '../generated/client';

const Names = z.array(z.object({ domain: z.string() }));

/** The operator's list of hosts that are never probed. */
export class OptOutRepository {
  constructor(private readonly database: Database) {}

  /** Asked plainly: every process needs it at its start, see {@link Database}. */
  async list(): Promise<readonly string[]> {
    const rows = await this.database.rawQuery(Prisma.sql`SELECT domain FROM opt_out ORDER BY domain`);
    return Names.parse(rows).map(({ domain }) => domain);
  }

  /** Lists a host and removes its documents, both or neither. @returns how many hosts had documents */
  add(domain: string): Promise<number> {
    const added = Prisma.sql`added AS (INSERT INTO opt_out (domain) VALUES (${domain}) ON CONFLICT DO NOTHING),`;
    return this.take([domain], 'opt_out', added);
  }

  /** Removes the documents of a host and of every name below it on a legal request. @returns how many hosts had documents */
  withhold(domain: string): Promise<number> {
    return this.take([domain], 'legal');
  }

  /**
   * Removes the documents of every host on the list or in `configured`: also what a probe stored that was under way when
   * its host was listed. @returns how many hosts had documents
   */
  async removeDocuments(configured: readonly string[]): Promise<number> {
    return this.take([...configured, ...(await this.list())], 'opt_out');
  }

  /** Whether the name was on the list. */
  async remove(domain: string): Promise<boolean> {
    const { count } = await this.database.prisma.optOut.deleteMany({ where: { domain } });
    return count === 1;
  }

  /**
   * Covers what `OptOuts.covers` does: the names, those below them, and for `www.` the name without. Bodies go; the lines of
   * bundles stay with their hashes and say why, and so do reports. SQL: the names are matched as one set, and one statement
   * may take its time, as a transaction of Prisma may not.
   */
  private async take(names: readonly string[], why: 'opt_out' | 'legal', along = Prisma.empty): Promise<number> {
    const removed = await this.database.prisma.$queryRaw`
      WITH listed AS (SELECT name FROM unnest(${names}::text[]) AS name), ${along}
        bundles AS (UPDATE evidence SET withheld = ${why} FROM listed WHERE withheld IS NULL AND ${COVERED} RETURNING domain),
        bodies AS (DELETE FROM evidence_body USING listed WHERE ${COVERED})
      SELECT count(DISTINCT domain)::int AS hosts FROM bundles`;
    return Removed.parse(removed)[0].hosts;
  }
}

const COVERED = Prisma.sql`(domain = name OR right(domain, length(name) + 1) = '.' || name OR 'www.' || domain = name)`;
const Removed = z.tuple([z.object({ hosts: z.number() })]);
