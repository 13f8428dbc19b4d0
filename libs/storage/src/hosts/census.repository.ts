import { z } from 'zod';
import { timeOf } from '../database/clock';
import type { Database } from '../database/database';
import { jsonbText } from '../database/json';
import { Prisma, type CensusHost } from '../generated/client';

/** A host in a list. */
export type CensusName = Pick<CensusHost, 'domain' | 'site'>;

const Place = z.object({ day: z.string(), domain: z.string() });
/** A host of one day (`YYYY-MM-DD`). */
export type CensusPlace = Readonly<z.infer<typeof Place>>;

/** A host to probe, with the number of tries including this one. */
export type CensusTask = Pick<CensusHost, 'depth' | 'tries'>;

/** The outcome of a host. */
export interface CensusResult extends CensusPlace {
  readonly outcome: string;
  readonly finding: unknown;
}

/** A host with an outcome, as it is stored. */
export interface CensusRow extends Pick<CensusHost, 'domain' | 'site' | 'list' | 'finding'> {
  readonly outcome: string;
  readonly probedAt: Date;
}

export interface CensusProgress {
  readonly hosts: number;
  readonly done: number;
  readonly outcomes: Readonly<Record<string, number>>;
}

/** A queued host is queued again after this long, in case its job was lost. */
const QUEUED = Prisma.sql`interval '10 minutes'`;
/** How many rows a reader loads at a time. */
const PAGE = 500;

/**
 * The hosts of censuses, one row per host and day. The rows hold the state; jobs only point to them. An outcome is
 * written once and not overwritten.
 */
export class CensusRepository {
  constructor(private readonly database: Database) {}

  /** Adds the names that are not stored for this day yet. @returns how many were added */
  async add(day: string, list: string, depth: string, names: readonly CensusName[]): Promise<number> {
    await this.makeDay(day);
    // Uses SQL, because a list has a million names, and Prisma takes a third of a millisecond for each.
    return this.database.prisma.$executeRaw`
      INSERT INTO census_host (day, domain, site, list, depth)
      SELECT ${day}::date, domain, site, ${list}, ${depth}
      FROM unnest(${names.map(({ domain }) => domain)}::text[], ${names.map(({ site }) => site)}::text[]) AS named(domain, site)
      ON CONFLICT DO NOTHING`;
  }

  /**
   * Assigns an order to new names of the day. The names of one site are spread evenly over the day, starting at an
   * offset derived from the site's hash. So neighbors in a list or network are far apart, and no budget is used up at
   * once.
   */
  async plan(day: string): Promise<void> {
    // Uses SQL, because the order of a million names depends on all of them.
    await this.database.prisma.$executeRaw`
      WITH spread AS (
        SELECT domain, (row_number() OVER own - 1 + abs(hashtext(site)::float8) / 2147483648)
               / count(*) OVER (PARTITION BY site) AS at
        FROM census_host WHERE day = ${day}::date AND place IS NULL WINDOW own AS (PARTITION BY site ORDER BY domain)),
      placed AS (
        SELECT domain, row_number() OVER (ORDER BY at, domain)
               + (SELECT coalesce(max(place), 0) FROM census_host WHERE day = ${day}::date) AS place FROM spread)
      UPDATE census_host SET place = placed.place FROM placed
      WHERE census_host.day = ${day}::date AND census_host.domain = placed.domain`;
  }

  /** Takes hosts that are due, in order, for the queue. They become due again later, in case their jobs get lost. */
  async due(most: number): Promise<readonly CensusPlace[]> {
    // Uses SQL to select and postpone hosts in one statement, by the clock of the database.
    const taken = await this.database.prisma.$queryRaw`
      WITH due AS (
        SELECT day, domain FROM census_host WHERE outcome IS NULL AND place IS NOT NULL AND due_at <= now()
        ORDER BY day, place LIMIT ${most})
      UPDATE census_host AS host SET due_at = now() + ${QUEUED} FROM due
      WHERE host.day = due.day AND host.domain = due.domain
      RETURNING to_char(host.day, 'YYYY-MM-DD') AS day, host.domain`;
    return z.array(Place).parse(taken);
  }

  /** Takes a host; undefined if it already has an outcome. */
  async take({ day, domain }: CensusPlace): Promise<CensusTask | undefined> {
    const [task] = await this.database.prisma.censusHost.updateManyAndReturn({
      where: { day: new Date(day), domain, outcome: null },
      data: { tries: { increment: 1 } },
      select: { depth: true, tries: true },
    });
    return task;
  }

  /** Writes the outcomes of hosts in one transaction. Existing outcomes stay. */
  async end(results: readonly CensusResult[]): Promise<void> {
    // Uses SQL, because one statement writes the different outcomes of many hosts.
    await this.database.prisma.$executeRaw`
      UPDATE census_host AS host SET outcome = result.outcome, probed_at = now(), finding = result.finding
      FROM jsonb_to_recordset(${jsonbText(results)}::jsonb) AS result(day date, domain text, outcome text, finding jsonb)
      WHERE host.day = result.day AND host.domain = result.domain AND host.outcome IS NULL`;
  }

  /** Postpones a host. */
  async putOff({ day, domain }: CensusPlace, seconds: number): Promise<void> {
    const { prisma } = this.database;
    const dueAt = new Date((await timeOf(prisma)).getTime() + seconds * 1_000);
    await prisma.censusHost.updateMany({ where: { day: new Date(day), domain }, data: { dueAt } });
  }

  async progress(day: string): Promise<CensusProgress> {
    const rows = await this.database.prisma.censusHost.groupBy({
      by: 'outcome',
      where: { day: new Date(day) },
      _count: { domain: true },
      orderBy: [{ _count: { domain: 'desc' } }, { outcome: 'asc' }],
    });
    const counts = rows.map(({ outcome, _count: { domain: hosts } }) => ({ outcome, hosts }));
    const ended = counts.filter(({ outcome }) => outcome !== null);
    return {
      hosts: counts.reduce((sum, { hosts }) => sum + hosts, 0),
      done: ended.reduce((sum, { hosts }) => sum + hosts, 0),
      outcomes: Object.fromEntries(ended.map(({ outcome, hosts }) => [outcome ?? '', hosts])),
    };
  }

  /** The hosts of a day with an outcome, by name. */
  async *rows(day: string): AsyncGenerator<CensusRow> {
    for (let after = ''; ;) {
      const rows = await this.database.prisma.censusHost.findMany({
        where: { day: new Date(day), domain: { gt: after }, outcome: { not: null } },
        orderBy: { domain: 'asc' },
        take: PAGE,
      });
      for (const row of rows) yield { ...row, ...Ended.parse(row) };
      const last = rows.at(-1);
      if (last === undefined) return;
      after = last.domain;
    }
  }

  /** Deletes the days that are more than `days` days ago. */
  async forget(days: number): Promise<void> {
    const { prisma } = this.database;
    // Uses SQL, because each day is a partition, and Prisma does not know about partitions.
    const old = await prisma.$queryRaw`
      SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'census_host'::regclass
      AND right(inhrelid::regclass::text, 8) < to_char(current_date - ${days}::int, 'YYYYMMDD')`;
    for (const { name } of Partitions.parse(old)) await prisma.$executeRaw`DROP TABLE IF EXISTS ${Prisma.raw(name)}`;
  }

  private async makeDay(day: string): Promise<void> {
    if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) throw new Error('a day must be YYYY-MM-DD');
    const name = Prisma.raw(`census_host_${day.replaceAll('-', '')}`);
    const date = Prisma.raw(`'${day}'`);
    // Uses SQL for the same reason.
    await this.database.prisma.$executeRaw`
      CREATE TABLE IF NOT EXISTS ${name} PARTITION OF census_host FOR VALUES FROM (${date}) TO (${date}::date + 1)`;
  }
}

const Ended = z.object({ outcome: z.string(), probedAt: z.date() });
const Partitions = z.array(z.object({ name: z.string() }));
