import type { PoolClient } from 'pg';
import type { Database } from '../database/database';

/** Hosts of some name, out of how many. */
export interface FigureRow {
  readonly name: string;
  readonly hosts: number;
  readonly total: number;
}

/** What was counted of a day. */
export interface CountedDay {
  /** The day that changes are counted from. */
  readonly before: string | null;
  /** By the id of the figure. */
  readonly rows: Readonly<Record<string, readonly FigureRow[]>>;
}

/** A figure's query over the tables of a release (libs/census/src/figures). */
interface FigureQuery {
  readonly id: string;
  readonly sql: string;
}

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

/**
 * Counts a day, without the hosts that opted out since, and what changed since the day before it that is kept. Takes a minute
 * for a million hosts.
 */
export function countFigures(
  database: Database,
  day: string,
  optedOut: readonly string[],
  queries: readonly FigureQuery[],
): Promise<CountedDay> {
  return database.transaction(async (client) => {
    const { rows: days } = await client.query<{ before: string | null }>(
      `SELECT to_char(max(day), 'YYYY-MM-DD') AS before FROM census_host WHERE day < $1`,
      [day],
    );
    const before = days[0]?.before ?? null;
    await client.query('CREATE TEMPORARY TABLE left_out (domain TEXT) ON COMMIT DROP');
    await makeTables(client, { day, optedOut }, ['probes', 'cells', 'rails', 'signals'], '');
    await makeTables(client, { day: before ?? '', optedOut }, ['probes', 'cells'], 'earlier_');
    const rows: Record<string, readonly FigureRow[]> = {};
    for (const { id, sql } of queries) rows[id] = counted((await client.query(sql)).rows);
    return { before, rows };
  });
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
