import { z } from 'zod';
import { timeOf } from '../database/clock';
import type { Database } from '../database/database';
import { jsonbText } from '../database/json';
import { Prisma, type CensusHost } from '../generated/client';

/** A host as a list names it. */
export type CensusName = Pick<CensusHost, 'domain' | 'site'>;

const Place = z.object({ day: z.string(), domain: z.string() });
/** A host of one day (`YYYY-MM-DD`). */
export type CensusPlace = Readonly<z.infer<typeof Place>>;

/** A host that is to be probed, and the times it was taken, this one included. */
export type CensusTask = Pick<CensusHost, 'depth' | 'tries'>;

/** What came of a host. */
export interface CensusResult extends CensusPlace {
  readonly outcome: string;
  readonly finding: unknown;
}

/** A host of which something is known, as it is stored. */
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
/** Rows that a reader loads at a time. */
const PAGE = 500;

/**
 * The hosts of censuses, one row for each host and day. Rows are the truth, jobs only say where to find some: an outcome is
 * written once, and the first stays.
 */
export class CensusRepository {
  constructor(private readonly database: Database) {}

  /** Adds names that the day does not have yet. @returns how many those were */
  async add(day: string, list: string, depth: string, names: readonly CensusName[]): Promise<number> {
    await this.makeDay(day);
    // SQL: a list has a million names, and the model takes a third of a millisecond for each.
    return this.database.prisma.$executeRaw`
      INSERT INTO census_host (day, domain, site, list, depth)
      SELECT ${day}::date, domain, site, ${list}, ${depth}
      FROM unnest(${names.map(({ domain }) => domain)}::text[], ${names.map(({ site }) => site)}::text[]) AS named(domain, site)
      ON CONFLICT DO NOTHING`;
  }

  /**
   * Gives names that have none their place in the day. The names of a site are spread evenly over it, from where its hash
   * says: so neighbours in a list, and in a network, are far apart, and no budget is asked for all at once.
   */
  async plan(day: string): Promise<void> {
    // SQL: the places of a million names depend on each other.
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

  /** Hosts that are due, in their order, for the queue: they are due again when their jobs are lost. */
  async due(most: number): Promise<readonly CensusPlace[]> {
    // SQL: hosts are chosen and put off in one statement, by the clock of the database.
    const taken = await this.database.prisma.$queryRaw`
      WITH due AS (
        SELECT day, domain FROM census_host WHERE outcome IS NULL AND place IS NOT NULL AND due_at <= now()
        ORDER BY day, place LIMIT ${most})
      UPDATE census_host AS host SET due_at = now() + ${QUEUED} FROM due
      WHERE host.day = due.day AND host.domain = due.domain
      RETURNING to_char(host.day, 'YYYY-MM-DD') AS day, host.domain`;
    return z.array(Place).parse(taken);
  }

  /** Takes a host; undefined when it has an outcome. */
  async take({ day, domain }: CensusPlace): Promise<CensusTask | undefined> {
    const [task] = await this.database.prisma.censusHost.updateManyAndReturn({
      where: { day: new Date(day), domain, outcome: null },
      data: { tries: { increment: 1 } },
      select: { depth: true, tries: true },
    });
    return task;
  }

  /** Writes what came of hosts, in one transaction. What was written before stays. */
  async end(results: readonly CensusResult[]): Promise<void> {
    // SQL, because one statement writes the different outcomes of many hosts.
    await this.database.prisma.$executeRaw`
      UPDATE census_host AS host SET outcome = result.outcome, probed_at = now(), finding = result.finding
      FROM jsonb_to_recordset(${jsonbText(results)}::jsonb) AS result(day date, domain text, outcome text, finding jsonb)
      WHERE host.day = result.day AND host.domain = result.domain AND host.outcome IS NULL`;
  }

  /** Leaves a host for later. */
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

  /** Forgets days that are older. */
  async forget(days: number): Promise<void> {
    const { prisma } = this.database;
    // SQL: a day is a partition, which models do not know.
    const old = await prisma.$queryRaw`
      SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'census_host'::regclass
      AND right(inhrelid::regclass::text, 8) < to_char(current_date - ${days}::int, 'YYYYMMDD')`;
    for (const { name } of Partitions.parse(old)) await prisma.$executeRaw`DROP TABLE IF EXISTS ${Prisma.raw(name)}`;
  }

  private async makeDay(day: string): Promise<void> {
    if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) throw new Error('a day must be YYYY-MM-DD');
    const name = Prisma.raw(`census_host_${day.replaceAll('-', '')}`);
    const date = Prisma.raw(`'${day}'`);
    // SQL: so is it for a partition that is made.
    await this.database.prisma.$executeRaw`
      CREATE TABLE IF NOT EXISTS ${name} PARTITION OF census_host FOR VALUES FROM (${date}) TO (${date}::date + 1)`;
  }
}

const Ended = z.object({ outcome: z.string(), probedAt: z.date() });
const Partitions = z.array(z.object({ name: z.string() }));
