import type { Database } from './database';

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

/** What stands behind statements: the reports they name, and the log of those that were issued. */
export class StatementRepository {
  constructor(private readonly database: Database) {}

  /** Notes a statement before it is given out, and keeps the report it names. */
  async issued(sha256: string, report: KeptReport | undefined): Promise<void> {
    const logged = 'INSERT INTO statement_log (sha256) VALUES ($1) ON CONFLICT DO NOTHING';
    if (!report) {
      await this.database.pool.query(logged, [sha256]);
      return;
    }
    await this.database.pool.query({
      name: 'statement_issued',
      text: `WITH logged AS (${logged})
             INSERT INTO report_text (sha256, domain, facts, evidence_root, needed_until) VALUES ($2, $3, $4, $5, $6)
             ON CONFLICT (sha256) DO UPDATE SET needed_until = greatest(report_text.needed_until, excluded.needed_until)`,
      values: [sha256, report.sha256, report.domain, report.facts, report.evidenceRoot ?? null, report.neededUntil],
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

  /** Hashes of the statements first issued on a day, in order. @param day `2026-11-22` */
  async issuedOn(day: string): Promise<readonly string[]> {
    const { rows } = await this.database.pool.query<{ sha256: string }>(
      'SELECT sha256 FROM statement_log WHERE day = $1::date ORDER BY sha256 COLLATE "C"',
      [day],
    );
    return rows.map(({ sha256 }) => sha256);
  }

  /** Days that were over ten minutes ago and have statements, but no root; at most a hundred. What was issued on them is stored by then. */
  async daysWithoutRoot(): Promise<readonly string[]> {
    const { rows } = await this.database.pool.query<{ day: string }>(
      `SELECT DISTINCT to_char(day, 'YYYY-MM-DD') AS day FROM statement_log
       WHERE day < ((now() - interval '10 minutes') AT TIME ZONE 'UTC')::date AND NOT EXISTS (SELECT FROM daily_root r WHERE r.day = statement_log.day)
       ORDER BY day LIMIT 100`,
    );
    return rows.map(({ day }) => day);
  }

  /** The signed root of a day. */
  async root(day: string): Promise<string | undefined> {
    const { rows } = await this.database.pool.query<{ token: string }>(
      'SELECT token FROM daily_root WHERE day = $1::date',
      [day],
    );
    return rows[0]?.token;
  }

  /** Keeps the root of a day; the first one stays. */
  async keepRoot(day: string, token: string): Promise<void> {
    await this.database.pool.query(
      'INSERT INTO daily_root (day, token) VALUES ($1::date, $2) ON CONFLICT (day) DO NOTHING',
      [day, token],
    );
  }
}
