import { z } from 'zod';
import type { Database } from '../database/database';
import { Prisma } from '../generated/client';
import { WATCH_IS_ACTIVE, watchIsPaid, watchMayBePaid } from '../owners/alert-outbox';
import { hostIsClaimed } from '../owners/claim.repository';
import { FREE_RUNS } from '../runs/run.repository';

/** The limits on a table that strangers can make grow. */
export interface Retention {
  /** Older rows are deleted, in days. */
  readonly days: number;
  /** The maximum number of rows. */
  readonly rows: number;
  /** The maximum bytes of data whose length hosts control. */
  readonly bytes: number;
}

/** SQL expressions for the rows of a table. */
interface RetainedTable {
  /** The time from which the age of a row is counted. */
  readonly at: Prisma.Sql;
  /** The bytes of a row; for data stored out of line, the size is known without reading it. */
  readonly bytes: Prisma.Sql;
  /** Rows of a higher rank are kept when there are too many. */
  readonly rank?: Prisma.Sql;
  /** The owner of the rows. Within a rank, all owners get equal room, and the one with the most rows loses first. */
  readonly party?: Prisma.Sql;
  /** Which rows of an owner are kept first: the newest records, or the oldest of things that somebody started. */
  readonly first: Prisma.Sql;
}

/** The rank of a row about a host: paid, then claimed, then free. */
const aboutHost = (table: string): { readonly rank: Prisma.Sql; readonly party: Prisma.Sql } => ({
  rank: Prisma.sql`CASE WHEN EXISTS (SELECT FROM host WHERE host.domain = ${Prisma.raw(table)}.domain AND bought_at IS NOT NULL) THEN 2
              WHEN ${hostIsClaimed(table)} THEN 1 ELSE 0 END`,
  party: Prisma.sql`coalesce((SELECT site FROM host WHERE host.domain = ${Prisma.raw(table)}.domain), ${Prisma.raw(table)}.domain)`,
});
/** SQL: whether an alert still has to be delivered to a watch of that kind. */
const isDue = (
  kind: Prisma.Sql,
): Prisma.Sql => Prisma.sql`EXISTS (SELECT FROM alert_delivery d JOIN watch w ON w.id = d.watch_id
  WHERE d.alert_id = alert.id AND d.state = 'due' AND ${kind})`;
/** SQL: whether a host has an active watch of that kind. */
const isWatched = (kind: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`EXISTS (SELECT FROM watch w WHERE w.domain = watched_host.domain AND ${WATCH_IS_ACTIVE} AND ${kind})`;

const TABLES = {
  change_event: {
    at: Prisma.sql`at`,
    bytes: Prisma.sql`length(summary) + coalesce(pg_column_size(before), 0) + coalesce(pg_column_size(after), 0)`,
    ...aboutHost('change_event'),
    first: Prisma.sql`id DESC`,
  },
  host_day: {
    at: Prisma.sql`day`,
    bytes: Prisma.sql`pg_column_size(reasons)`,
    ...aboutHost('host_day'),
    first: Prisma.sql`day DESC, domain`,
  },
  probe_run: {
    at: Prisma.sql`created_at`,
    bytes: Prisma.sql`coalesce(pg_column_size(args), 0) + coalesce(pg_column_size(outcome), 0)`,
    rank: Prisma.sql`CASE WHEN kind = ANY(${FREE_RUNS}) THEN 0 ELSE 1 END`,
    party: aboutHost('probe_run').party,
    first: Prisma.sql`created_at DESC`,
  },
  claim: {
    at: Prisma.sql`coalesce(last_seen_at, created_at)`,
    bytes: Prisma.sql`coalesce(pg_column_size(finding), 0) + pg_column_size(name_servers)`,
    rank: Prisma.sql`(level IS NOT NULL)::int`,
    party: Prisma.sql`site`,
    first: Prisma.sql`created_at, id`,
  },
  // Its deliveries are deleted with it. A watch whose payment failed is deleted after a day.
  watch: {
    at: Prisma.sql`CASE WHEN ${watchMayBePaid('watch')} THEN ends_at ELSE created_at - interval '29 days' END`,
    bytes: Prisma.sql`length(url)`,
    rank: Prisma.sql`CASE WHEN ends_at <= now() THEN 0 WHEN claim_id IS NULL AND ${watchIsPaid('watch')} THEN 2
                WHEN ${watchMayBePaid('watch')} THEN 1 ELSE 0 END`,
    party: Prisma.sql`host_site`,
    first: Prisma.sql`created_at, id`,
  },
  watched_host: {
    at: Prisma.sql`hour`,
    bytes: Prisma.sql`length(domain)`,
    rank: Prisma.sql`CASE WHEN ${isWatched(Prisma.sql`w.claim_id IS NULL`)} THEN 2 WHEN ${isWatched(Prisma.sql`true`)} THEN 1 ELSE 0 END`,
    party: aboutHost('watched_host').party,
    first: Prisma.sql`hour DESC, domain`,
  },
  // Alerts of paid watches are never dropped in favor of free or delivered ones.
  alert: {
    at: Prisma.sql`at`,
    bytes: Prisma.sql`length(domain)`,
    rank: Prisma.sql`CASE WHEN fanned_out IS NOT NULL OR ${isDue(Prisma.sql`w.claim_id IS NULL`)} THEN 2 WHEN ${isDue(Prisma.sql`true`)} THEN 1 ELSE 0 END`,
    party: aboutHost('alert').party,
    first: Prisma.sql`at DESC, id`,
  },
  report_text: {
    at: Prisma.sql`needed_until`,
    bytes: Prisma.sql`pg_column_size(facts)`,
    ...aboutHost('report_text'),
    first: Prisma.sql`needed_until DESC`,
  },
  // Counters with long windows are deleted first: they count names given by strangers, while the short ones protect the
  // service.
  limit_counter: {
    at: Prisma.sql`to_timestamp(expire / 1000.0)`,
    bytes: Prisma.sql`length(key)`,
    first: Prisma.sql`expire, key`,
  },
} as const satisfies Readonly<Record<string, RetainedTable>>;

export type RetainedTableName = keyof typeof TABLES;

/** How many rows one statement deletes: a longer one would block others that wait for a row. */
const AT_ONCE = 5_000;

/** Deletes the excess of data that strangers created. Uses SQL, because it affects many rows of any table at once. */
export class RetentionRepository {
  constructor(private readonly database: Database) {}

  /** @returns the tables that reached their limit */
  async forget(kept: Readonly<Record<RetainedTableName, Retention>>): Promise<readonly RetainedTableName[]> {
    const full: RetainedTableName[] = [];
    for (const name of Object.keys(TABLES) as RetainedTableName[]) {
      const { at, bytes, rank = Prisma.sql`0`, party = Prisma.sql`''`, first }: RetainedTable = TABLES[name];
      const { days, rows, bytes: most } = kept[name];
      const table = Prisma.raw(name);
      const old = Prisma.sql`${at} < now() - make_interval(days => ${days}::int)`;
      await this.inParts(name, Prisma.sql`SELECT ctid FROM ${table} WHERE ${old}`);
      const found = await this.database.prisma.$queryRaw`
        SELECT count(*) > ${rows} OR coalesce(sum(${bytes}), 0) > ${most} AS over FROM ${table}`;
      if (!Found.parse(found)[0].over) continue;
      full.push(name);
      await this.inParts(
        name,
        Prisma.sql`SELECT ctid FROM (
           SELECT ctid, row_number() OVER kept AS place, sum(size) OVER kept AS total FROM (
             SELECT *, row_number() OVER (PARTITION BY rank, party ORDER BY age) AS turn FROM (
               SELECT ctid, ${bytes} AS size, ${rank} AS rank, ${party} AS party, row_number() OVER (ORDER BY ${first}) AS age
               FROM ${table}) AS aged) AS turns
           WINDOW kept AS (ORDER BY rank DESC, turn, age ROWS UNBOUNDED PRECEDING)) AS counted
         WHERE place > ${rows} OR total > ${most}`,
      );
    }
    return full;
  }

  /**
   * Locked rows are skipped until the next time. The watches of a deleted claim are locked in the order of their ids,
   * like in the fan-out of alerts, which avoids deadlocks.
   */
  private async inParts(name: RetainedTableName, which: Prisma.Sql): Promise<void> {
    const table = Prisma.raw(name);
    const [id, locked, afterLocks] =
      name === 'claim'
        ? [
            Prisma.sql`, id`,
            Prisma.sql`, locked AS (SELECT w.id FROM watch w JOIN gone ON w.claim_id = gone.id ORDER BY w.id FOR UPDATE OF w)`,
            Prisma.sql` AND (SELECT count(*) FROM locked) >= 0`,
          ]
        : [Prisma.empty, Prisma.empty, Prisma.empty];
    const remove = Prisma.sql`WITH gone AS (SELECT ctid AS place${id} FROM ${table}
        WHERE ctid = ANY(ARRAY(${which} LIMIT ${AT_ONCE})) FOR UPDATE SKIP LOCKED)${locked}
      DELETE FROM ${table} WHERE ctid = ANY(ARRAY(SELECT place FROM gone))${afterLocks}`;
    while ((await this.database.prisma.$executeRaw(remove)) > 0);
  }
}

const Found = z.tuple([z.object({ over: z.boolean() })]);
