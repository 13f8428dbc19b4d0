import type { PoolClient } from 'pg';
import { z } from 'zod';
import type { Database } from './database';

const Rows = z.array(z.object({ name: z.string(), hosts: z.int(), total: z.int() }));
const Figures = z.record(z.string(), Rows);

/** Hosts of some name, out of how many. */
export type FigureRow = z.infer<typeof Rows>[number];

/** What was counted of a day. */
export interface CensusDay {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  /** The day that changes are counted from. */
  readonly before: string | null;
  readonly madeAt: Date;
  /** By the id of the figure. */
  readonly figures: Readonly<Record<string, readonly FigureRow[]>>;
}

/** A figure's query over the tables of a release (libs/census/src/figures). */
interface FigureQuery {
  readonly id: string;
  readonly sql: string;
}

/** A day as it is read; `day` and `before` are dates without a time. */
const DAY = `to_char(day, 'YYYY-MM-DD') AS day, to_char(before, 'YYYY-MM-DD') AS before, made_at AS "madeAt", figures`;

/** The day that tables are made of: a setting of the transaction, since a statement that makes a table takes no parameters. */
const OF_DAY = `day = nullif(current_setting('hostprobe.day'), '')::date`;

/** Hosts of the day that opted out, or whose name above did (behaviour 18.5): `OptOuts.covers` in SQL, over a million names at once. */
const LEAVE_OUT = `INSERT INTO left_out SELECT domain FROM (
    SELECT domain, 'www.' || domain AS name FROM census_host WHERE ${OF_DAY} UNION ALL
    SELECT domain, array_to_string((string_to_array(domain, '.'))[label:], '.')
    FROM census_host, generate_series(1, cardinality(string_to_array(domain, '.')) - 1) AS label WHERE ${OF_DAY}) AS named
  JOIN unnest($1::text[]) AS opted_out(name) USING (name)`;

/** Hosts of the day that were probed, without those. */
const HOSTS = `WITH host AS (SELECT domain, outcome, finding FROM census_host
  WHERE ${OF_DAY} AND outcome IS NOT NULL AND outcome <> 'opted_out'
  AND NOT EXISTS (SELECT FROM left_out WHERE left_out.domain = census_host.domain))`;

/** The tables of a release that figures count, from the rows of a day: libs/census/src/dataset/tables.ts says what they are. */
const TABLES = {
  probes: `SELECT domain, split_part(outcome, ':', 1) AS outcome, nullif(split_part(outcome, ':', 2), '') AS reason,
             finding ->> 'probed' AS probed, coalesce((finding ->> 'payable')::boolean, false) AS payable FROM host`,
  cells: `SELECT domain, key AS protocol, value ->> 'status' AS status, value ->> 'reason' AS reason, value ? 'catchAll' AS catch_all,
            (SELECT string_agg(fix, ',') FROM jsonb_array_elements_text(value -> 'fixes') AS fix) AS fixes
          FROM host, jsonb_each(finding -> 'cells')`,
  rails: `SELECT domain, value ->> 'network' AS network, (value ->> 'testnet')::boolean AS testnet, value ->> 'amountUsd' AS amount_usd,
            (value ->> 'payable')::boolean AS payable,
            (SELECT string_agg(client, ',') FROM jsonb_array_elements_text(value -> 'clients') AS client) AS clients
          FROM host, jsonb_array_elements(finding -> 'rails')`,
  signals: `SELECT domain, value ->> 'id' AS signal, value ->> 'status' AS status FROM host, jsonb_array_elements(finding -> 'signals')`,
} as const;

/** The figures of censuses: a row for each day, made from its hosts and read by the gateways. */
export class CensusDayRepository {
  constructor(private readonly database: Database) {}

  /**
   * Counts a day, without the hosts that opted out since, and what changed since the day that was counted before it. Takes as long as it
   * takes: a minute for a million hosts.
   */
  async measure(day: string, optedOut: readonly string[], queries: readonly FigureQuery[]): Promise<void> {
    await this.database.transaction(async (client) => {
      const { rows } = await client.query<{ before: string | null }>(
        `SELECT to_char(max(day), 'YYYY-MM-DD') AS before FROM census_day WHERE day < $1`,
        [day],
      );
      const before = rows[0]?.before ?? null;
      await client.query('CREATE TEMPORARY TABLE left_out (domain TEXT) ON COMMIT DROP');
      await makeTables(client, { day, optedOut }, ['probes', 'cells', 'rails', 'signals'], '');
      await makeTables(client, { day: before ?? '', optedOut }, ['probes', 'cells'], 'earlier_');
      const figures: Record<string, readonly FigureRow[]> = {};
      for (const { id, sql } of queries) figures[id] = counted((await client.query(sql)).rows);
      await client.query(
        `INSERT INTO census_day (day, before, figures) VALUES ($1, $2, $3)
         ON CONFLICT (day) DO UPDATE SET before = excluded.before, figures = excluded.figures, made_at = now()`,
        [day, before, JSON.stringify(figures)],
      );
    });
  }

  /** The newest days, `until` a day when that is given, newest first. */
  async newest(most: number, until: string | null = null): Promise<readonly CensusDay[]> {
    const { rows } = await this.database.pool.query<Omit<CensusDay, 'figures'> & { figures: unknown }>(
      `SELECT ${DAY} FROM census_day WHERE $2::date IS NULL OR day <= $2 ORDER BY census_day.day DESC LIMIT $1`,
      [most, until],
    );
    return rows.map((row) => ({ ...row, figures: Figures.parse(row.figures) }));
  }

  /** Forgets days that are older. */
  async forget(days: number): Promise<void> {
    await this.database.pool.query('DELETE FROM census_day WHERE day < current_date - $1::int', [days]);
  }
}

/** Makes tables of a day for as long as the transaction takes; empty ones for no day. */
async function makeTables(
  client: PoolClient,
  { day, optedOut }: { readonly day: string; readonly optedOut: readonly string[] },
  names: readonly (keyof typeof TABLES)[],
  prefix: string,
): Promise<void> {
  await client.query(`SELECT set_config('hostprobe.day', $1, true)`, [day]);
  await client.query(LEAVE_OUT, [optedOut]);
  for (const name of names) {
    await client.query(`CREATE TEMPORARY TABLE ${prefix}${name} ON COMMIT DROP AS ${HOSTS} ${TABLES[name]}`);
    await client.query(`ANALYZE ${prefix}${name}`);
  }
}

function counted(rows: readonly Record<string, unknown>[]): readonly FigureRow[] {
  return rows.map(({ name, hosts, total }) => ({ name: String(name), hosts: Number(hosts), total: Number(total) }));
}
