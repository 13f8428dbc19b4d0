import { randomUUID } from 'node:crypto';
import type { Database } from './database';

export type RunStatus = 'queued' | 'running' | 'done' | 'failed' | 'expired';

export interface RunRequest {
  readonly kind: 'host' | 'protocol';
  readonly domain: string;
  readonly protocol?: string;
}

export interface Run extends RunRequest {
  readonly id: string;
  readonly status: RunStatus;
  /** What the worker found, for `done`. */
  readonly outcome: unknown;
  /** Code of a failure that is ours, for `failed`. */
  readonly failure: string | null;
  readonly deadlineAt: Date;
}

interface Row {
  id: string;
  kind: RunRequest['kind'];
  domain: string;
  protocol: string | null;
  status: RunStatus;
  outcome: unknown;
  failure: string | null;
  deadline_at: Date;
}

const COLUMNS = 'id, kind, domain, protocol, status, outcome, failure, deadline_at';

/** Looks at hosts, one row each. Single flight is a partial unique index, so it holds across all processes. */
export class RunRepository {
  constructor(private readonly database: Database) {}

  /**
   * Joins the unfinished run of the same subject or makes a new one. `fresh` tells which: only a new run is enqueued.
   * A run whose deadline passed is expired first, so that a lost worker never blocks its subject.
   */
  async open(request: RunRequest, deadlineAt: Date): Promise<{ readonly run: Run; readonly fresh: boolean }> {
    const subject = subjectOf(request);
    for (;;) {
      await this.expire(subject);
      const inserted = await this.database.pool.query<Row>(
        `INSERT INTO probe_run (id, kind, domain, protocol, subject, status, created_at, deadline_at)
         VALUES ($1, $2, $3, $4, $5, 'queued', now(), $6)
         ON CONFLICT (subject) WHERE status IN ('queued', 'running') DO NOTHING RETURNING ${COLUMNS}`,
        [randomUUID(), request.kind, request.domain, request.protocol ?? null, subject, deadlineAt],
      );
      if (inserted.rows[0]) return { run: toRun(inserted.rows[0]), fresh: true };
      const joined = await this.database.pool.query<Row>(
        `SELECT ${COLUMNS} FROM probe_run WHERE subject = $1 AND status IN ('queued', 'running')`,
        [subject],
      );
      if (joined.rows[0]) return { run: toRun(joined.rows[0]), fresh: false };
    }
  }

  /** Whether a run of the same subject is unfinished, so that `open` would join it. */
  async isUnderWay(request: RunRequest): Promise<boolean> {
    const { rowCount } = await this.database.pool.query(
      `SELECT FROM probe_run WHERE subject = $1 AND status IN ('queued', 'running') AND deadline_at > now()`,
      [subjectOf(request)],
    );
    return rowCount === 1;
  }

  async find(id: string): Promise<Run | undefined> {
    const { rows } = await this.database.pool.query<Row>(`SELECT ${COLUMNS} FROM probe_run WHERE id = $1`, [id]);
    return rows[0] && toRun(rows[0]);
  }

  /** Takes a run for work. Undefined when it is finished or past its deadline, so that a stale job does nothing. */
  async begin(id: string): Promise<Run | undefined> {
    const { rows } = await this.database.pool.query<Row>(
      `UPDATE probe_run SET status = 'running', started_at = now()
       WHERE id = $1 AND status IN ('queued', 'running') AND deadline_at > now() RETURNING ${COLUMNS}`,
      [id],
    );
    return rows[0] && toRun(rows[0]);
  }

  /** Ends a run for a reason that is ours (never the host's); whoever waits is told. */
  async fail(id: string, failure: string): Promise<void> {
    await this.database.pool.query(
      `WITH ended AS (UPDATE probe_run SET status = 'failed', failure = $2, finished_at = now()
                      WHERE id = $1 AND status IN ('queued', 'running') RETURNING id)
       SELECT pg_notify('run_finished', id::text) FROM ended`,
      [id, failure],
    );
  }

  /** Unfinished runs that still have time, for admission. */
  async waiting(): Promise<number> {
    const { rows } = await this.database.pool.query<{ waiting: string }>(
      `SELECT count(*) AS waiting FROM probe_run WHERE status IN ('queued', 'running') AND deadline_at > now()`,
    );
    return Number(rows[0]?.waiting ?? 0);
  }

  private async expire(subject: string): Promise<void> {
    await this.database.pool.query(
      `UPDATE probe_run SET status = 'expired', finished_at = now()
       WHERE subject = $1 AND status IN ('queued', 'running') AND deadline_at <= now()`,
      [subject],
    );
  }
}

function subjectOf({ domain, protocol }: RunRequest): string {
  return protocol ? `${domain}/${protocol}` : domain;
}

function toRun(row: Row): Run {
  return {
    id: row.id,
    kind: row.kind,
    domain: row.domain,
    ...(row.protocol === null ? {} : { protocol: row.protocol }),
    status: row.status,
    outcome: row.outcome,
    failure: row.failure,
    deadlineAt: row.deadline_at,
  };
}
