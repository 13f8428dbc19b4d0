import { z } from 'zod';
import { timeOf } from '../database/clock';
import type { Database, Transaction } from '../database/database';
import { Prisma } from '../generated/client';
import { WATCH_IS_ACTIVE } from '../owners/alert-outbox';
import { hostIsClaimed } from '../owners/claim.repository';

/** How many hosts one statement changes: a longer one would block probes that wait for a row. */
const AT_ONCE = 1_000;
const DAY_MS = 86_400_000;

/** The limits on data of hosts without readers. */
export interface UnreadHostLimits {
  /** After this many days without a reader, a host loses its evidence, and its report if only free probes made it. */
  readonly days: number;
  /** The maximum bytes of evidence. Hosts that were not read for the longest time lose theirs first. */
  readonly evidenceBytes: number;
  /** The maximum number of reports that only free probes made. */
  readonly freeReports: number;
  /** The maximum bytes of these reports. */
  readonly freeReportBytes: number;
}

/** How much was deleted because of a limit, rather than its age. */
export interface BeyondCaps {
  readonly evidence: number;
  readonly freeReports: number;
}

const HAS_SUBSCRIPTION = Prisma.sql`EXISTS (SELECT FROM subscription s
  WHERE s.domain = host.domain AND s.revoked_at IS NULL AND s.ends_at > now())`;
const watchedBy = (kind: Prisma.Sql): Prisma.Sql =>
  Prisma.sql`EXISTS (SELECT FROM watch w WHERE w.domain = host.domain AND ${WATCH_IS_ACTIVE} AND ${kind})`;
/** An active subscription counts as a reader, and so does a watch. */
const SUBSCRIBED = Prisma.sql`(${HAS_SUBSCRIPTION} OR ${watchedBy(Prisma.sql`true`)})`;
/**
 * The order in which hosts keep their data when a limit is reached: paid hosts, claimed hosts, then the others. Within
 * each group, all sites get equal room, and the one with the most hosts loses first.
 */
const RANK = Prisma.sql`CASE WHEN bought_at IS NOT NULL OR ${HAS_SUBSCRIPTION} OR ${watchedBy(Prisma.sql`w.claim_id IS NULL`)} THEN 2
  WHEN ${hostIsClaimed('host')} THEN 1 ELSE 0 END`;
const TURN = Prisma.sql`row_number() OVER (PARTITION BY rank, site ORDER BY last_read_at DESC, domain)`;

/** The bytes of evidence by host, including those in the bucket. */
const SIZES = Prisma.sql`SELECT domain, sum(bytes) AS bytes FROM (
    SELECT domain, coalesce(size, length(lines)) AS bytes FROM evidence
    UNION ALL SELECT domain, coalesce(size, length(bytes)) FROM evidence_body) AS stored GROUP BY domain`;

/** The bytes of one report with its payment options; for long texts, the size is known without reading them. */
const REPORT_BYTES = Prisma.sql`pg_column_size(facts) + coalesce(pg_column_size(drift_memory), 0)
  + coalesce((SELECT sum(pg_column_size(rail)) FROM host_rail r WHERE r.domain = host.domain), 0)`;

const EVIDENCE_OF_GONE = Prisma.sql`
      bundles AS (DELETE FROM evidence USING gone WHERE evidence.domain = gone.domain),
      bodies AS (DELETE FROM evidence_body USING gone WHERE evidence_body.domain = gone.domain)`;

/**
 * Records when hosts were last read, and deletes data of unread hosts. Uses SQL, because it changes many rows at once.
 */
export class ReaderRepository {
  constructor(private readonly database: Database) {}

  /** Records that hosts were read; each row is written at most once a day. */
  async read(domains: readonly string[]): Promise<void> {
    const { prisma } = this.database;
    const lastReadAt = await timeOf(prisma);
    const where = { domain: { in: [...domains] }, lastReadAt: { lt: new Date(lastReadAt.getTime() - DAY_MS) } };
    await prisma.host.updateMany({ where, data: { lastReadAt } });
  }

  /** Deletes data by these limits. Changes, runs and paid data have their own limits. */
  async forget({ days, evidenceBytes, freeReports, freeReportBytes }: UnreadHostLimits): Promise<BeyondCaps> {
    const unread = Prisma.sql`host.last_read_at < now() - make_interval(days => ${days}::int) AND NOT ${SUBSCRIBED}`;
    await this.forgetEvidence(Prisma.sql`SELECT domain FROM host WHERE ${unread}
      AND EXISTS (SELECT FROM evidence e WHERE e.domain = host.domain) ORDER BY domain LIMIT ${AT_ONCE}`);
    const evidence = await this.forgetEvidence(Prisma.sql`SELECT domain FROM (
        SELECT domain, sum(bytes) OVER (ORDER BY rank DESC, turn, last_read_at DESC, domain) AS total FROM (
          SELECT *, ${TURN} AS turn FROM (
            SELECT domain, site, bytes, last_read_at, ${RANK} AS rank FROM (${SIZES}) AS sizes JOIN host USING (domain))
          AS ranked) AS turns) AS kept
      WHERE total > ${evidenceBytes} ORDER BY domain LIMIT ${AT_ONCE}`);
    const free = Prisma.sql`bought_at IS NULL AND NOT ${SUBSCRIBED}`;
    await this.forgetReports(Prisma.sql`SELECT domain FROM host WHERE ${free} AND ${unread} LIMIT ${AT_ONCE}`);
    const reports = await this.forgetReports(Prisma.sql`SELECT domain FROM (
        SELECT domain, row_number() OVER kept AS place, sum(bytes) OVER kept AS total FROM (
          SELECT *, ${TURN} AS turn FROM (
            SELECT domain, site, last_read_at, ${REPORT_BYTES} AS bytes, ${RANK} AS rank FROM host WHERE ${free})
          AS ranked) AS turns
        WINDOW kept AS (ORDER BY rank DESC, turn, last_read_at DESC, domain)) AS counted
      WHERE place > ${freeReports} OR total > ${freeReportBytes} LIMIT ${AT_ONCE}`);
    return { evidence, freeReports: reports };
  }

  /** Deletes bundles older than `days` of hosts that have a newer one, and bodies that only those bundles refer to. */
  async forgetSuperseded(days: number): Promise<void> {
    while ((await this.database.inTransaction((tx) => forgetSomeSuperseded(tx, days))) === AT_ONCE);
  }

  /** @param which a query for some hosts with evidence */
  private forgetEvidence(which: Prisma.Sql): Promise<number> {
    return this.inParts(Prisma.sql`WITH gone AS (${which}),
      roots AS (UPDATE host SET evidence_root = NULL, evidence_lines = NULL FROM gone WHERE host.domain = gone.domain),
      ${EVIDENCE_OF_GONE}
      SELECT FROM gone`);
  }

  private forgetReports(which: Prisma.Sql): Promise<number> {
    return this.inParts(Prisma.sql`WITH gone AS (${which}),
      rails AS (DELETE FROM host_rail USING gone WHERE host_rail.domain = gone.domain),
      days AS (DELETE FROM host_day USING gone WHERE host_day.domain = gone.domain), ${EVIDENCE_OF_GONE}
      DELETE FROM host USING gone WHERE host.domain = gone.domain`);
  }

  /** Repeats the statement until nothing is left. Returns the number of rows. */
  private async inParts(statement: Prisma.Sql): Promise<number> {
    for (let gone = 0; ;) {
      const rows = await this.database.prisma.$executeRaw(statement);
      gone += rows;
      if (rows < AT_ONCE) return gone;
    }
  }
}

/** @returns how many were deleted */
async function forgetSomeSuperseded(tx: Transaction, days: number): Promise<number> {
  // SQL, because other bundles of the host decide whether a bundle or a body is deleted.
  const superseded = Superseded.parse(
    await tx.$queryRaw`SELECT root, domain FROM evidence old WHERE at < now() - make_interval(days => ${days}::int) AND EXISTS (
      SELECT FROM evidence newer WHERE newer.domain = old.domain AND newer.at > old.at) LIMIT ${AT_ONCE}`,
  );
  const domains = superseded.map(({ domain }) => domain);
  // A probe locks the row of its host while it stores, so a body that it is about to refer to is kept.
  await tx.$executeRaw`SELECT FROM host WHERE domain = ANY(${domains}) ORDER BY domain FOR UPDATE`;
  await tx.evidence.deleteMany({ where: { root: { in: superseded.map(({ root }) => root) } } });
  await tx.$executeRaw`
    DELETE FROM evidence_body body WHERE domain = ANY(${domains}) AND NOT EXISTS (
      SELECT FROM evidence named WHERE named.domain = body.domain AND body.sha256 = ANY(named.bodies))`;
  return superseded.length;
}

const Superseded = z.array(z.object({ root: z.string(), domain: z.string() }));
