import { z } from 'zod';
import type { Database, Transaction } from '../database/database';
import { Prisma } from '../generated/client';

const Counted = z.array(z.object({ name: z.coerce.string(), hosts: z.coerce.number(), total: z.coerce.number() }));
/** The number of hosts with a name, out of a total. */
export type FigureRow = Readonly<z.infer<typeof Counted>[number]>;

/** The counts of a day. */
export interface CountedDay {
  /** The earlier day that changes are compared with. */
  readonly before: string | null;
  /** By the id of the figure. */
  readonly rows: Readonly<Record<string, readonly FigureRow[]>>;
}

/** A figure's query over the tables of a release (libs/census/src/figures). */
interface FigureQuery {
  readonly id: string;
  readonly sql: string;
}

/**
 * The day of the temporary tables. It is a transaction setting, because a statement that creates a table takes no
 * parameters.
 */
const OF_DAY = Prisma.sql`day = nullif(current_setting('hostprobe.day'), '')::date`;

/** The probed hosts of the day, without those that were left out. */
const HOSTS = Prisma.sql`WITH host AS (SELECT domain, outcome, finding FROM census_host
  WHERE ${OF_DAY} AND outcome IS NOT NULL AND outcome <> 'opted_out'
  AND NOT EXISTS (SELECT FROM left_out WHERE left_out.domain = census_host.domain))`;

/**
 * The tables of a release that figures count, built from the rows of a day; described in
 * libs/census/src/dataset/tables.ts.
 */
const TABLES = {
  probes: Prisma.sql`SELECT domain, split_part(outcome, ':', 1) AS outcome, nullif(split_part(outcome, ':', 2), '') AS reason,
             finding ->> 'probed' AS probed, coalesce((finding ->> 'payable')::boolean, false) AS payable FROM host`,
  cells: Prisma.sql`SELECT domain, key AS protocol, value ->> 'status' AS status, value ->> 'reason' AS reason, value ? 'catchAll' AS catch_all,
            (SELECT string_agg(fix, ',') FROM jsonb_array_elements_text(value -> 'fixes') AS fix) AS fixes
          FROM host, jsonb_each(finding -> 'cells')`,
  rails: Prisma.sql`SELECT domain, value ->> 'network' AS network, (value ->> 'testnet')::boolean AS testnet, value ->> 'amountUsd' AS amount_usd,
            value -> 'reasons' = '[]' AS payable,
            (SELECT string_agg(concat(client ->> 'name', ' ', version), ',') FROM jsonb_array_elements(value -> 'clients') AS client,
             jsonb_array_elements_text(client -> 'versions') AS version WHERE (client ->> 'pays')::boolean) AS clients
          FROM host, jsonb_array_elements(finding -> 'rails')`,
  signals: Prisma.sql`SELECT domain, value ->> 'id' AS signal, value ->> 'status' AS status FROM host, jsonb_array_elements(finding -> 'signals')`,
} as const;

/**
 * Counts a day, without hosts that opted out since, and the changes since the previous stored day. Takes a minute for a
 * million hosts. Uses SQL, because figures are queries over tables created for them.
 */
export function countFigures(
  database: Database,
  day: string,
  optedOut: readonly string[],
  queries: readonly FigureQuery[],
): Promise<CountedDay> {
  return database.inTransaction(async (tx) => {
    const last = await tx.censusHost.aggregate({ where: { day: { lt: new Date(day) } }, _max: { day: true } });
    const before = last._max.day?.toISOString().slice(0, 10) ?? null;
    await tx.$executeRaw`CREATE TEMPORARY TABLE left_out (domain TEXT) ON COMMIT DROP`;
    await makeTables(tx, { day, optedOut }, ['probes', 'cells', 'rails', 'signals'], '');
    await makeTables(tx, { day: before ?? '', optedOut }, ['probes', 'cells'], 'earlier_');
    const rows: Record<string, readonly FigureRow[]> = {};
    for (const { id, sql } of queries) rows[id] = Counted.parse(await tx.$queryRaw(Prisma.raw(sql)));
    return { before, rows };
  });
}

/** Creates the tables of a day for the duration of the transaction; empty ones for no day. */
async function makeTables(
  tx: Transaction,
  { day, optedOut }: { readonly day: string; readonly optedOut: readonly string[] },
  names: readonly (keyof typeof TABLES)[],
  prefix: string,
): Promise<void> {
  await tx.$executeRaw`SELECT set_config('hostprobe.day', ${day}, true)`;
  // Leaves out hosts that opted out, or whose parent domain did (behaviour 18.5): like `OptOuts.covers`, but for a
  // million names at once.
  await tx.$executeRaw`
    INSERT INTO left_out SELECT domain FROM (
      SELECT domain, 'www.' || domain AS name FROM census_host WHERE ${OF_DAY} UNION ALL
      SELECT domain, array_to_string((string_to_array(domain, '.'))[label:], '.')
      FROM census_host, generate_series(1, cardinality(string_to_array(domain, '.')) - 1) AS label WHERE ${OF_DAY}) AS named
    JOIN unnest(${optedOut}::text[]) AS opted_out(name) USING (name)`;
  for (const name of names) {
    const table = Prisma.raw(`${prefix}${name}`);
    await tx.$executeRaw`CREATE TEMPORARY TABLE ${table} ON COMMIT DROP AS ${HOSTS} ${TABLES[name]}`;
    await tx.$executeRaw`ANALYZE ${table}`;
  }
}
