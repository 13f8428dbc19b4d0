import type { PoolClient } from 'pg';
import { WATCH_IS_ACTIVE } from '../owners/alert-outbox';
import { hostIsClaimed } from '../owners/claim.repository';
import type { Database } from '../database/database';

/** Hosts that one statement takes on: a long one would hold up probes that wait for a row. */
const AT_ONCE = 1_000;

/** What is kept of hosts without readers. */
export interface ReaderlessLimits {
  /** Hosts that were not read for so many days lose their evidence, and a report that only free probes made. */
  readonly days: number;
  /** Bytes of evidence that stay at most; of the hosts that were not read for longest it goes first. */
  readonly evidenceBytes: number;
  /** Reports that stay at most of those that only free probes made. */
  readonly freeReports: number;
  /** Bytes that those take at most. */
  readonly freeReportBytes: number;
}

/** How much was forgotten because a cap was reached, and not for its age. */
export interface BeyondCaps {
  readonly evidence: number;
  readonly freeReports: number;
}

const HAS_SUBSCRIPTION = `EXISTS (SELECT FROM subscription s
  WHERE s.domain = host.domain AND s.revoked_at IS NULL AND s.expires_at > now())`;
const watchedBy = (kind: string): string =>
  `EXISTS (SELECT FROM watch w WHERE w.domain = host.domain AND ${WATCH_IS_ACTIVE.sql} AND ${kind})`;
/** An active subscription is a reader, and so is a watch. */
const SUBSCRIBED = `(${HAS_SUBSCRIPTION} OR ${watchedBy('true')})`;
/**
 * In which order hosts keep what they have when a cap is reached: those that somebody paid for, those that an owner claimed,
 * and then the others. Within each all sites have as much room: the one with most hosts loses first.
 */
const RANK = `CASE WHEN bought_at IS NOT NULL OR ${HAS_SUBSCRIPTION} OR ${watchedBy('w.claim_id IS NULL')} THEN 2
  WHEN ${hostIsClaimed('host').sql} THEN 1 ELSE 0 END`;
const TURN = `row_number() OVER (PARTITION BY rank, site ORDER BY last_read_at DESC, domain)`;

/** Bytes of evidence, by host, those in the bucket as well. */
const SIZES = `SELECT domain, sum(bytes) AS bytes FROM (
    SELECT domain, coalesce(size, length(lines)) AS bytes FROM evidence
    UNION ALL SELECT domain, coalesce(size, length(bytes)) FROM evidence_body) AS stored GROUP BY domain`;

/** Bytes of one report with its rails; the sizes of long texts are known without reading them. */
const REPORT_BYTES = `pg_column_size(facts) + coalesce(pg_column_size(drift_memory), 0)
  + coalesce((SELECT sum(pg_column_size(rail)) FROM host_rail r WHERE r.domain = host.domain), 0)`;

const EVIDENCE_OF_GONE = `
      bundles AS (DELETE FROM evidence USING gone WHERE evidence.domain = gone.domain),
      bodies AS (DELETE FROM evidence_body USING gone WHERE evidence_body.domain = gone.domain)`;

/** When hosts were read last, and what is forgotten of those that are not read. SQL: it is about many rows at once. */
export class ReaderRepository {
  constructor(private readonly database: Database) {}

  /** Remembers that hosts were read; a row is written at most once a day. */
  async read(domains: readonly string[]): Promise<void> {
    await this.database.pool.query(
      `UPDATE host SET last_read_at = now() WHERE domain = ANY($1) AND last_read_at < now() - interval '1 day'`,
      [domains],
    );
  }

  /** Forgets what the limits say; changes, runs and what was paid for have limits of their own. */
  async forget({ days, evidenceBytes, freeReports, freeReportBytes }: ReaderlessLimits): Promise<BeyondCaps> {
    const unread = `host.last_read_at < now() - interval '${days} days' AND NOT ${SUBSCRIBED}`;
    await this.forgetEvidence(`SELECT domain FROM host WHERE ${unread}
      AND EXISTS (SELECT FROM evidence e WHERE e.domain = host.domain) ORDER BY domain LIMIT ${AT_ONCE}`);
    const evidence = await this.forgetEvidence(`SELECT domain FROM (
        SELECT domain, sum(bytes) OVER (ORDER BY rank DESC, turn, last_read_at DESC, domain) AS total FROM (
          SELECT *, ${TURN} AS turn FROM (
            SELECT domain, site, bytes, last_read_at, ${RANK} AS rank FROM (${SIZES}) AS sizes JOIN host USING (domain))
          AS ranked) AS turns) AS kept
      WHERE total > ${evidenceBytes} ORDER BY domain LIMIT ${AT_ONCE}`);
    const free = `bought_at IS NULL AND NOT ${SUBSCRIBED}`;
    await this.forgetReports(`SELECT domain FROM host WHERE ${free} AND ${unread} LIMIT ${AT_ONCE}`);
    const reports = await this.forgetReports(`SELECT domain FROM (
        SELECT domain, row_number() OVER kept AS place, sum(bytes) OVER kept AS total FROM (
          SELECT *, ${TURN} AS turn FROM (
            SELECT domain, site, last_read_at, ${REPORT_BYTES} AS bytes, ${RANK} AS rank FROM host WHERE ${free})
          AS ranked) AS turns
        WINDOW kept AS (ORDER BY rank DESC, turn, last_read_at DESC, domain)) AS counted
      WHERE place > ${freeReports} OR total > ${freeReportBytes} LIMIT ${AT_ONCE}`);
    return { evidence, freeReports: reports };
  }

  /** Forgets bundles older than `days` of hosts that have a newer one, and the bodies that only they name. */
  async forgetSuperseded(days: number): Promise<void> {
    while ((await this.database.transaction((client) => forgetSomeSuperseded(client, days))) === AT_ONCE);
  }

  /** @param which hosts, some at a time, with evidence */
  private forgetEvidence(which: string): Promise<number> {
    return this.inParts(`WITH gone AS (${which}),
      roots AS (UPDATE host SET evidence_root = NULL, evidence_lines = NULL FROM gone WHERE host.domain = gone.domain),
      ${EVIDENCE_OF_GONE}
      SELECT FROM gone`);
  }

  private forgetReports(which: string): Promise<number> {
    return this.inParts(`WITH gone AS (${which}),
      rails AS (DELETE FROM host_rail USING gone WHERE host_rail.domain = gone.domain),
      days AS (DELETE FROM host_day USING gone WHERE host_day.domain = gone.domain), ${EVIDENCE_OF_GONE}
      DELETE FROM host USING gone WHERE host.domain = gone.domain`);
  }

  /** How many rows went in all. */
  private async inParts(statement: string): Promise<number> {
    for (let gone = 0; ;) {
      const rows = (await this.database.pool.query(statement)).rowCount ?? 0;
      gone += rows;
      if (rows < AT_ONCE) return gone;
    }
  }
}

/** @returns how many were forgotten */
async function forgetSomeSuperseded(client: PoolClient, days: number): Promise<number> {
  const { rows } = await client.query<{ root: string; domain: string }>(
    `SELECT root, domain FROM evidence old WHERE at < now() - make_interval(days => $1) AND EXISTS (
       SELECT FROM evidence newer WHERE newer.domain = old.domain AND newer.at > old.at) LIMIT ${AT_ONCE}`,
    [days],
  );
  const [roots, domains] = [rows.map(({ root }) => root), rows.map(({ domain }) => domain)];
  // A probe holds the row of its host while it stores: a body that it is about to name stays.
  await client.query('SELECT FROM host WHERE domain = ANY($1) ORDER BY domain FOR UPDATE', [domains]);
  await client.query('DELETE FROM evidence WHERE root = ANY($1)', [roots]);
  await client.query(
    `DELETE FROM evidence_body body WHERE domain = ANY($1) AND NOT EXISTS (
       SELECT FROM evidence named WHERE named.domain = body.domain AND body.sha256 = ANY(named.bodies))`,
    [domains],
  );
  return rows.length;
}
