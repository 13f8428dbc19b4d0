import { WATCH_IS_ACTIVE, watchIsPaid, watchMayBePaid } from '../owners/alert-outbox';
import { hostIsClaimed } from '../owners/claim.repository';
import type { Database } from '../database/database';
import { FREE_RUNS } from '../runs/run.repository';

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
  /** SQL: what ranks higher stays when there are too many rows. */
  readonly rank?: string;
  /** SQL: whose rows they are. Within a rank all have as much room, and who has most rows loses first. */
  readonly party?: string;
  /** SQL: which rows of a party stay, in this order: the newest of what is noted, the oldest of what somebody began. */
  readonly first: string;
}

/** A row about a host: what was bought ranks before what an owner proved, and that before what was free. */
const aboutHost = (table: string): { readonly rank: string; readonly party: string } => ({
  rank: `CASE WHEN EXISTS (SELECT FROM host WHERE host.domain = ${table}.domain AND bought_at IS NOT NULL) THEN 2
              WHEN ${hostIsClaimed(table).sql} THEN 1 ELSE 0 END`,
  party: `coalesce((SELECT site FROM host WHERE host.domain = ${table}.domain), ${table}.domain)`,
});
/** SQL: whether an alert still goes to a watch of that kind. */
const isDue = (kind: string): string => `EXISTS (SELECT FROM alert_delivery d JOIN watch w ON w.id = d.watch_id
  WHERE d.alert_id = alert.id AND d.state = 'due' AND ${kind})`;
/** SQL: whether a host has an active watch of that kind. */
const isWatched = (kind: string): string =>
  `EXISTS (SELECT FROM watch w WHERE w.domain = watched_host.domain AND ${WATCH_IS_ACTIVE.sql} AND ${kind})`;

const TABLES = {
  change_event: {
    at: 'at',
    bytes: `length(summary) + coalesce(pg_column_size(before), 0) + coalesce(pg_column_size(after), 0)`,
    ...aboutHost('change_event'),
    first: 'id DESC',
  },
  host_day: { at: 'day', bytes: `pg_column_size(reasons)`, ...aboutHost('host_day'), first: 'day DESC, domain' },
  probe_run: {
    at: 'created_at',
    bytes: `coalesce(pg_column_size(args), 0) + coalesce(pg_column_size(outcome), 0)`,
    rank: `CASE WHEN kind IN ('${FREE_RUNS.join(`', '`)}') THEN 0 ELSE 1 END`,
    party: aboutHost('probe_run').party,
    first: 'created_at DESC',
  },
  claim: {
    at: 'coalesce(last_seen_at, created_at)',
    bytes: 'coalesce(pg_column_size(finding), 0) + pg_column_size(name_servers)',
    rank: '(level IS NOT NULL)::int',
    party: 'site',
    first: 'created_at, id',
  },
  // Its deliveries go with it. One whose payment failed goes after a day.
  watch: {
    at: `CASE WHEN ${watchMayBePaid('watch').sql} THEN ends_at ELSE created_at - interval '29 days' END`,
    bytes: 'length(url)',
    rank: `CASE WHEN ends_at <= now() THEN 0 WHEN claim_id IS NULL AND ${watchIsPaid('watch').sql} THEN 2
                WHEN ${watchMayBePaid('watch').sql} THEN 1 ELSE 0 END`,
    party: 'host_site',
    first: 'created_at, id',
  },
  watched_host: {
    at: 'hour',
    bytes: 'length(domain)',
    rank: `CASE WHEN ${isWatched('w.claim_id IS NULL')} THEN 2 WHEN ${isWatched('true')} THEN 1 ELSE 0 END`,
    party: aboutHost('watched_host').party,
    first: 'hour DESC, domain',
  },
  // No alert of a watch that was bought is lost for those of free ones, or for what was delivered.
  alert: {
    at: 'at',
    bytes: 'length(domain)',
    rank: `CASE WHEN fanned_out IS NOT NULL OR ${isDue('w.claim_id IS NULL')} THEN 2 WHEN ${isDue('true')} THEN 1 ELSE 0 END`,
    party: aboutHost('alert').party,
    first: 'at DESC, id',
  },
  report_text: {
    at: 'needed_until',
    bytes: 'pg_column_size(facts)',
    ...aboutHost('report_text'),
    first: 'needed_until DESC',
  },
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
      const { at, bytes, rank = '0', party = `''`, first }: GrownTable = TABLES[name];
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
           SELECT ctid, row_number() OVER kept AS place, sum(size) OVER kept AS total FROM (
             SELECT *, row_number() OVER (PARTITION BY rank, party ORDER BY age) AS turn FROM (
               SELECT ctid, ${bytes} AS size, ${rank} AS rank, ${party} AS party, row_number() OVER (ORDER BY ${first}) AS age
               FROM ${name}) AS aged) AS turns
           WINDOW kept AS (ORDER BY rank DESC, turn, age ROWS UNBOUNDED PRECEDING)) AS counted
         WHERE place > ${rows} OR total > ${most}`,
      );
    }
    return full;
  }

  /**
   * Rows that somebody holds go another time, and the watches that go with a claim are locked by their ids, as the fan-out of
   * alerts locks them: neither waits for the other in a circle.
   */
  private async inParts(name: GrownTableName, which: string): Promise<void> {
    const [id, locked, afterLocks] =
      name === 'claim'
        ? [
            ', id',
            `, locked AS (SELECT w.id FROM watch w JOIN gone ON w.claim_id = gone.id ORDER BY w.id FOR UPDATE OF w)`,
            ' AND (SELECT count(*) FROM locked) >= 0',
          ]
        : ['', '', ''];
    const text = `WITH gone AS (SELECT ctid AS place${id} FROM ${name}
        WHERE ctid = ANY(ARRAY(${which} LIMIT ${AT_ONCE})) FOR UPDATE SKIP LOCKED)${locked}
      DELETE FROM ${name} WHERE ctid = ANY(ARRAY(SELECT place FROM gone))${afterLocks}`;
    while (((await this.database.pool.query(text)).rowCount ?? 0) > 0);
  }
}
