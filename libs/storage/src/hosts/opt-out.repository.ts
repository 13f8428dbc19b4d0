import type { PoolClient } from 'pg';
import type { Database } from '../database/database';

/** The operator's list of hosts that are never probed. */
export class OptOutRepository {
  constructor(private readonly database: Database) {}

  /** SQL, like all that every process needs at its start: see {@link Database}. */
  async list(): Promise<readonly string[]> {
    const { rows } = await this.database.pool.query<{ domain: string }>('SELECT domain FROM opt_out ORDER BY domain');
    return rows.map(({ domain }) => domain);
  }

  /** Lists a host and removes its documents, both or neither. @returns how many hosts had documents */
  add(domain: string): Promise<number> {
    return this.database.transaction(async (client) => {
      await client.query('INSERT INTO opt_out (domain) VALUES ($1) ON CONFLICT DO NOTHING', [domain]);
      return removeDocuments(client, [domain], 'opt_out');
    });
  }

  /** Removes the documents of a host and of every name below it on a legal request. @returns how many hosts had documents */
  withhold(domain: string): Promise<number> {
    return this.database.transaction((client) => removeDocuments(client, [domain], 'legal'));
  }

  /**
   * Removes the documents of every host on the list or in `configured`: also what a probe stored that was under way when
   * its host was listed. @returns how many hosts had documents
   */
  async removeDocuments(configured: readonly string[]): Promise<number> {
    const names = [...configured, ...(await this.list())];
    return this.database.transaction((client) => removeDocuments(client, names, 'opt_out'));
  }

  /** Whether the name was on the list. */
  async remove(domain: string): Promise<boolean> {
    const { count } = await this.database.prisma.optOut.deleteMany({ where: { domain } });
    return count === 1;
  }
}

/**
 * Covers what `OptOuts.covers` does: the names, those below them, and for `www.` the name without. Bodies go; the lines of
 * bundles stay with their hashes and say why, and so do reports.
 */
async function removeDocuments(
  client: PoolClient,
  names: readonly string[],
  why: 'opt_out' | 'legal',
): Promise<number> {
  const { rows } = await client.query<{ hosts: string }>(
    `WITH listed AS (SELECT name FROM unnest($1::text[]) AS name),
       bundles AS (UPDATE evidence SET withheld = $2 FROM listed WHERE withheld IS NULL AND ${COVERED} RETURNING domain),
       bodies AS (DELETE FROM evidence_body USING listed WHERE ${COVERED})
     SELECT count(DISTINCT domain) AS hosts FROM bundles`,
    [names, why],
  );
  return Number(rows[0]?.hosts);
}

const COVERED = `(domain = name OR right(domain, length(name) + 1) = '.' || name OR 'www.' || domain = name)`;
