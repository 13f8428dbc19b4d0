import { z } from 'zod';
import type { Database } from '../database/database';
import { Prisma } from '../generated/client';

const Names = z.array(z.object({ domain: z.string() }));

/** The operator's list of hosts that are never probed. */
export class OptOutRepository {
  constructor(private readonly database: Database) {}

  /** Uses plain SQL, because every process reads it at its start, see {@link Database}. */
  async list(): Promise<readonly string[]> {
    const rows = await this.database.rawQuery(Prisma.sql`SELECT domain FROM opt_out ORDER BY domain`);
    return Names.parse(rows).map(({ domain }) => domain);
  }

  /** Lists a host and removes its evidence bodies in one transaction. @returns how many hosts had evidence */
  add(domain: string): Promise<number> {
    const added = Prisma.sql`added AS (INSERT INTO opt_out (domain) VALUES (${domain}) ON CONFLICT DO NOTHING),`;
    return this.take([domain], 'opt_out', added);
  }

  /**
   * Removes the evidence bodies of a host and its subdomains on a legal request. @returns how many hosts had evidence
   */
  withhold(domain: string): Promise<number> {
    return this.take([domain], 'legal');
  }

  /**
   * Removes the evidence bodies of every host on the list or in `configured`, including those that a running probe
   * stored after its host was listed. @returns how many hosts had evidence
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
   * Matches names like `OptOuts.covers`: the names, their subdomains, and for `www.` also the name without it. Bodies
   * are deleted. The lines of bundles stay with their hashes and say why, and reports stay. Uses SQL, because all names
   * are matched as one set, and a single statement may take longer than a Prisma transaction.
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
