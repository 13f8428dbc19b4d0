import type { Database } from '../database/database';
import { jsonbText } from '../database/json';

/** A host as a list names it. */
export interface CensusName {
  readonly domain: string;
  readonly site: string;
}

/** A host of one day (`YYYY-MM-DD`). */
export interface CensusPlace {
  readonly day: string;
  readonly domain: string;
}

/** A host that is to be probed. */
export interface CensusTask {
  readonly depth: string;
  /** Times it was taken, this one included. */
  readonly tries: number;
}

/** A host of which something is known, as it is stored. */
export interface CensusRow {
  readonly domain: string;
  readonly site: string;
  readonly list: string;
  readonly depth: string;
  readonly outcome: string;
  readonly probedAt: Date;
  readonly finding: unknown;
}

export interface CensusProgress {
  readonly hosts: number;
  readonly done: number;
  readonly outcomes: Readonly<Record<string, number>>;
}

/** A host that stands in the queue is put there again after this long, should its job be lost. */
const QUEUED = "interval '10 minutes'";
/** Rows that a reader holds at a time. */
const PAGE = 500;

/**
 * The hosts of censuses, one row for each host and day. Rows are the truth, jobs only say where to find some: an outcome is
 * written once, and the first stays. SQL: it is about a million rows at once, and partitions.
 */
export class CensusRepository {
  constructor(private readonly database: Database) {}

  /** Adds names that the day does not have yet. @returns how many those were */
  async add(day: string, list: string, depth: string, names: readonly CensusName[]): Promise<number> {
    await this.makeDay(day);
    const { rowCount } = await this.database.pool.query(
      `INSERT INTO census_host (day, domain, site, list, depth)
       SELECT $1, domain, site, $2, $3 FROM unnest($4::text[], $5::text[]) AS t(domain, site)
       ON CONFLICT DO NOTHING`,
      [day, list, depth, names.map((n) => n.domain), names.map((n) => n.site)],
    );
    return rowCount ?? 0;
  }

  /**
   * Gives names that have none their place in the day. The names of a site are spread evenly over it, from where its hash
   * says: so neighbours in a list, and in a network, are far apart, and no budget is asked for all at once.
   */
  async plan(day: string): Promise<void> {
    await this.database.pool.query(
      `WITH spread AS (
         SELECT domain, (row_number() OVER own - 1 + abs(hashtext(site)::float8) / 2147483648)
                / count(*) OVER (PARTITION BY site) AS at
         FROM census_host WHERE day = $1 AND place IS NULL WINDOW own AS (PARTITION BY site ORDER BY domain)),
       base AS (SELECT coalesce(max(place), 0) AS last FROM census_host WHERE day = $1),
       placed AS (SELECT domain, last + row_number() OVER (ORDER BY at, domain) AS place FROM spread, base)
       UPDATE census_host SET place = placed.place FROM placed
       WHERE census_host.day = $1 AND census_host.domain = placed.domain`,
      [day],
    );
  }

  /** Hosts that are due, in their order, for the queue: they are due again when their jobs are lost. */
  async due(most: number): Promise<readonly CensusPlace[]> {
    const { rows } = await this.database.pool.query<CensusPlace>(
      `WITH due AS (
         SELECT day, domain FROM census_host WHERE outcome IS NULL AND place IS NOT NULL AND due_at <= now()
         ORDER BY day, place LIMIT $1)
       UPDATE census_host AS host SET due_at = now() + ${QUEUED} FROM due
       WHERE host.day = due.day AND host.domain = due.domain
       RETURNING to_char(host.day, 'YYYY-MM-DD') AS day, host.domain`,
      [most],
    );
    return rows;
  }

  /** Takes a host; undefined when it has an outcome. */
  async take({ day, domain }: CensusPlace): Promise<CensusTask | undefined> {
    const { rows } = await this.database.pool.query<CensusTask>(
      `UPDATE census_host SET tries = tries + 1 WHERE day = $1 AND domain = $2 AND outcome IS NULL RETURNING depth, tries`,
      [day, domain],
    );
    return rows[0];
  }

  /** Writes what came of a host. @returns false when that was written before: then it stays */
  async end(day: string, domain: string, outcome: string, finding: unknown): Promise<boolean> {
    const { rowCount } = await this.database.pool.query({
      name: 'census_end',
      text: `UPDATE census_host SET outcome = $3, probed_at = now(), finding = $4
             WHERE day = $1 AND domain = $2 AND outcome IS NULL`,
      values: [day, domain, outcome, finding === null ? null : jsonbText(finding)],
    });
    return rowCount === 1;
  }

  /** Leaves a host for later. */
  async putOff(day: string, domain: string, seconds: number): Promise<void> {
    await this.database.pool.query(
      `UPDATE census_host SET due_at = now() + $3 * interval '1 second' WHERE day = $1 AND domain = $2`,
      [day, domain, seconds],
    );
  }

  async progress(day: string): Promise<CensusProgress> {
    const { rows } = await this.database.pool.query<{ outcome: string | null; hosts: number }>(
      'SELECT outcome, count(*)::int AS hosts FROM census_host WHERE day = $1 GROUP BY outcome ORDER BY hosts DESC, outcome',
      [day],
    );
    const ended = rows.filter(({ outcome }) => outcome !== null);
    return {
      hosts: rows.reduce((sum, { hosts }) => sum + hosts, 0),
      done: ended.reduce((sum, { hosts }) => sum + hosts, 0),
      outcomes: Object.fromEntries(ended.map(({ outcome, hosts }) => [outcome ?? '', hosts])),
    };
  }

  /** The hosts of a day with an outcome, by name. */
  async *rows(day: string): AsyncGenerator<CensusRow> {
    for (let after = ''; ;) {
      const { rows } = await this.database.pool.query<CensusRow>(
        `SELECT domain, site, list, depth, outcome, probed_at AS "probedAt", finding FROM census_host
         WHERE day = $1 AND domain > $2 AND outcome IS NOT NULL ORDER BY domain LIMIT ${PAGE}`,
        [day, after],
      );
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined) return;
      after = last.domain;
    }
  }

  /** Forgets days that are older. */
  async forget(days: number): Promise<void> {
    const { rows } = await this.database.pool.query<{ name: string }>(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'census_host'::regclass
       AND right(inhrelid::regclass::text, 8) < to_char(current_date - $1::int, 'YYYYMMDD')`,
      [days],
    );
    for (const { name } of rows) await this.database.pool.query(`DROP TABLE IF EXISTS ${name}`);
  }

  private async makeDay(day: string): Promise<void> {
    if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) throw new Error('a day is written YYYY-MM-DD');
    const name = `census_host_${day.replaceAll('-', '')}`;
    await this.database.pool.query(
      `CREATE TABLE IF NOT EXISTS ${name} PARTITION OF census_host
       FOR VALUES FROM ('${day}') TO ('${day}'::date + 1)`,
    );
  }
}
