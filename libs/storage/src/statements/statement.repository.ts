import type { Database } from '../database/database';

/** The report that a statement is about. */
export interface KeptReport {
  readonly sha256: string;
  readonly domain: string;
  /** As stored. */
  readonly facts: string;
  readonly evidenceRoot?: string;
  readonly neededUntil: Date;
}

/** A probe that failed for reasons of the service. */
export interface FailedProbe {
  readonly id: string;
  readonly at: Date;
  readonly reason: string;
}

/** What stands behind statements: the reports they name, and the probes that failed. */
export class StatementRepository {
  constructor(private readonly database: Database) {}

  /** Keeps the report that a statement names, before the statement is given out. */
  async keepReport(report: KeptReport): Promise<void> {
    await this.database.pool.query({
      name: 'report_kept',
      text: `INSERT INTO report_text (sha256, domain, facts, evidence_root, needed_until) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (sha256) DO UPDATE SET needed_until = greatest(report_text.needed_until, excluded.needed_until)`,
      values: [report.sha256, report.domain, report.facts, report.evidenceRoot ?? null, report.neededUntil],
    });
  }

  /** The text of a report by its hash: the current one of its host, or one that a statement names. */
  async report(domain: string, sha256: string): Promise<string | undefined> {
    const { rows } = await this.database.pool.query<{ facts: string }>({
      name: 'report_by_hash',
      text: `SELECT facts FROM report_text WHERE sha256 = $2 AND domain = $1
             UNION ALL SELECT facts FROM host WHERE domain = $1 AND facts_sha256 = $2 LIMIT 1`,
      values: [domain, sha256],
    });
    return rows[0]?.facts;
  }

  /** The last probe of a whole host, when it failed for reasons of the service. */
  async failedProbe(domain: string): Promise<FailedProbe | undefined> {
    const { rows } = await this.database.pool.query<{ id: string; finished_at: Date | null; failure: string | null }>(
      `SELECT id, finished_at, failure FROM probe_run
       WHERE domain = $1 AND kind IN ('host', 'presence', 'watch') AND status NOT IN ('queued', 'running')
       ORDER BY created_at DESC LIMIT 1`,
      [domain],
    );
    const [last] = rows;
    if (!last?.finished_at || last.failure === null) return undefined;
    return { id: last.id, at: last.finished_at, reason: last.failure };
  }
}
