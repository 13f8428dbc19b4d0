import type { Database } from './database';

/** What stays of a table that strangers make grow. */
export interface Kept {
  /** Rows that are older go, in days. */
  readonly days: number;
  /** So many rows stay at most. */
  readonly rows: number;
  /** And so many bytes of what hosts make long. */
  readonly bytes: number;
}

interface GrownTable {
  /** SQL of the time that the age of a row is counted from. */
  readonly at: string;
  /** SQL of the bytes of a row; of what is stored out of line the size is known without reading it. */
  readonly bytes: string;
  /** Which rows stay when there are too many, in this order. */
  readonly first: string;
}

/** Whether somebody bought a probe of the host: a stranger cannot push its rows out. */
const boughtOf = (table: string): string =>
  `EXISTS (SELECT FROM host WHERE host.domain = ${table}.domain AND callability_probed_at IS NOT NULL) DESC`;

const TABLES = {
  change_event: {
    at: 'at',
    bytes: `length(summary) + coalesce(pg_column_size(before), 0) + coalesce(pg_column_size(after), 0)`,
    first: `${boughtOf('change_event')}, id DESC`,
  },
  host_day: { at: 'day', bytes: `pg_column_size(reasons)`, first: `${boughtOf('host_day')}, day DESC, domain` },
  probe_run: {
    at: 'created_at',
    bytes: `coalesce(pg_column_size(args), 0) + coalesce(pg_column_size(outcome), 0)`,
    first: `kind NOT IN ('presence', 'watch', 'claim_check') DESC, created_at DESC`,
  },
  // Who showed control of a host is not pushed out by those who only say so.
  claim: {
    at: 'coalesce(last_seen_at, created_at)',
    bytes: 'coalesce(pg_column_size(finding), 0) + pg_column_size(name_servers) + coalesce(length(notes), 0)',
    first: 'level IS NOT NULL DESC, created_at DESC',
  },
  // Its deliveries go with it. Watches that somebody bought stay longest.
  watch: { at: 'ends_at', bytes: 'length(url)', first: 'payment_digest IS NOT NULL DESC, ends_at DESC, id' },
  watched_host: { at: 'hour', bytes: 'length(domain)', first: 'hour DESC, domain' },
  alert: { at: 'at', bytes: 'length(domain)', first: 'at DESC, id' },
  report_text: { at: 'needed_until', bytes: 'pg_column_size(facts)', first: 'needed_until DESC' },
  // What counts for long goes first: it counts what strangers named, and the short ones protect the service.
  limit_counter: { at: `to_timestamp(expire / 1000.0)`, bytes: 'length(key)', first: 'expire, key' },
} as const satisfies Readonly<Record<string, GrownTable>>;

export type GrownTableName = keyof typeof TABLES;

/** Rows that one statement deletes: a long one would hold up those that wait for a row. */
const AT_ONCE = 5_000;

/** Forgets what strangers made too much of. SQL: it is about many rows at once. */
export class GrowthRepository {
  constructor(private readonly database: Database) {}

  /** @returns the tables that reached their cap */
  async forget(kept: Readonly<Record<GrownTableName, Kept>>): Promise<readonly GrownTableName[]> {
    const full: GrownTableName[] = [];
    for (const name of Object.keys(TABLES) as GrownTableName[]) {
      const { at, bytes, first }: GrownTable = TABLES[name];
      const { days, rows, bytes: most } = kept[name];
      await this.inParts(name, `SELECT ctid FROM ${name} WHERE ${at} < now() - interval '${days} days'`);
      const { rows: found } = await this.database.pool.query<{ over: boolean }>(
        `SELECT count(*) > ${rows} OR coalesce(sum(${bytes}), 0) > ${most} AS over FROM ${name}`,
      );
      if (!found[0]?.over) continue;
      full.push(name);
      await this.inParts(
        name,
        `SELECT ctid FROM (
           SELECT ctid, row_number() OVER kept AS place, sum(${bytes}) OVER kept AS total FROM ${name}
           WINDOW kept AS (ORDER BY ${first} ROWS UNBOUNDED PRECEDING)) AS counted
         WHERE place > ${rows} OR total > ${most}`,
      );
    }
    return full;
  }

  private async inParts(name: GrownTableName, which: string): Promise<void> {
    const text = `DELETE FROM ${name} WHERE ctid = ANY(ARRAY(${which} LIMIT ${AT_ONCE}))`;
    while ((await this.database.pool.query(text)).rowCount === AT_ONCE);
  }
}
