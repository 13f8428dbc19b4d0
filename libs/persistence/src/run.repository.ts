import { randomUUID } from 'node:crypto';
import type { Database } from './database';
import { runNotice } from './run-notice';

export type RunStatus = 'queued' | 'running' | 'done' | 'failed' | 'expired';

/** What a worker can be asked to do. `domain` is the host name whose budgets and history the run counts against. */
export type RunRequest =
  | { readonly kind: 'host'; readonly domain: string }
  /** A free look at what is published. */
  | { readonly kind: 'presence'; readonly domain: string }
  | { readonly kind: 'protocol'; readonly domain: string; readonly protocol: string }
  | {
      readonly kind: 'endpoint_health';
      readonly domain: string;
      readonly url: string;
      readonly method: 'GET' | 'POST';
    }
  | { readonly kind: 'payto_check'; readonly domain: string };

export type RunKind = RunRequest['kind'];

interface RunState {
  readonly id: string;
  readonly status: RunStatus;
  /** What the worker found, for `done`. */
  readonly outcome: unknown;
  /** Code of a failure that is ours, for `failed`. */
  readonly failure: string | null;
  readonly deadlineAt: Date;
}

/** A request with how far it came. */
export type Run<Kind extends RunKind = RunKind> = Extract<RunRequest, { readonly kind: Kind }> & RunState;

interface Row {
  id: string;
  kind: RunKind;
  domain: string;
  protocol: string | null;
  args: unknown;
  status: RunStatus;
  outcome: unknown;
  failure: string | null;
  deadline_at: Date;
}

const COLUMNS = 'id, kind, domain, protocol, args, status, outcome, failure, deadline_at';

/**
 * A run is a work order: a database that loses the last of them in a crash costs its buyer a retry, so that nobody waits
 * for the disk to have one. What is charged for is in the ledger, whose commit before the money waits for everything
 * that was written before it, too.
 */
const WITHOUT_WAITING = `set_config('synchronous_commit', 'off', true)`;

/** Rows one statement deletes: a long delete would hold up whoever waits for a row. */
const FORGOTTEN_AT_ONCE = 5_000;

/** Looks at hosts, one row each. Single flight is a partial unique index, so it holds across all processes. */
export class RunRepository {
  constructor(private readonly database: Database) {}

  /**
   * Joins the unfinished run of the same subject or makes a new one. `fresh` tells which: only a new run is enqueued.
   * A run whose deadline passed is expired, so that a lost worker never blocks its subject.
   */
  async open(request: RunRequest, deadlineAt: Date): Promise<{ readonly run: Run; readonly fresh: boolean }> {
    const subject = subjectOf(request);
    const { protocol, args } = columnsOf(request);
    for (;;) {
      const inserted = await this.database.pool.query<Row>({
        name: 'run_open',
        text: `INSERT INTO probe_run (id, kind, domain, protocol, args, subject, status, created_at, deadline_at)
               VALUES ($1, $2, $3, $4, $5, $6, 'queued', now(), $7)
               ON CONFLICT (subject) WHERE status IN ('queued', 'running') DO NOTHING
               RETURNING ${COLUMNS}, ${WITHOUT_WAITING}`,
        values: [randomUUID(), request.kind, request.domain, protocol, args, subject, deadlineAt],
      });
      if (inserted.rows[0]) return { run: toRun(inserted.rows[0]), fresh: true };
      if (await this.expire(subject)) continue;
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
    const { rows } = await this.database.pool.query<Row>({
      name: 'run_find',
      text: `SELECT ${COLUMNS} FROM probe_run WHERE id = $1`,
      values: [id],
    });
    return rows[0] && toRun(rows[0]);
  }

  /** Takes a run for work. Undefined when it is finished or past its deadline, so that a stale job does nothing. */
  async begin(id: string): Promise<Run | undefined> {
    const { rows } = await this.database.pool.query<Row>({
      name: 'run_begin',
      text: `UPDATE probe_run SET status = 'running', started_at = now()
             WHERE id = $1 AND status IN ('queued', 'running') AND deadline_at > now()
             RETURNING ${COLUMNS}, ${WITHOUT_WAITING}`,
      values: [id],
    });
    return rows[0] && toRun(rows[0]);
  }

  /**
   * Ends a run that changes no report with what it found; whoever waits is told. A run that is over already (its
   * deadline passed, or the job came twice) stays as it is.
   */
  async finish(id: string, outcome: unknown): Promise<void> {
    const text = JSON.stringify(outcome);
    await this.database.pool.query({
      name: 'run_finish',
      text: `WITH ended AS (UPDATE probe_run SET status = 'done', outcome = $2, finished_at = now()
                            WHERE id = $1 AND status IN ('queued', 'running') RETURNING id)
             SELECT pg_notify('run_finished', $3), ${WITHOUT_WAITING} FROM ended`,
      values: [id, text, runNotice(id, text)],
    });
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

  /**
   * Unfinished runs that still have time: those somebody pays for, or the free ones. They stand in queues of their own,
   * so neither is held up by the other.
   */
  async waiting(which: 'paid' | 'free'): Promise<number> {
    const { rows } = await this.database.pool.query<{ waiting: string }>(
      `SELECT count(*) AS waiting FROM probe_run
       WHERE status IN ('queued', 'running') AND deadline_at > now() AND (kind = 'presence') = $1`,
      [which === 'free'],
    );
    return Number(rows[0]?.waiting ?? 0);
  }

  /** Forgets what was asked for before a time, finished or not. Returns how many. */
  async forget(before: Date): Promise<number> {
    for (let forgotten = 0; ;) {
      const { rowCount } = await this.database.pool.query(
        `DELETE FROM probe_run WHERE id IN (SELECT id FROM probe_run WHERE created_at < $1 LIMIT ${FORGOTTEN_AT_ONCE})`,
        [before],
      );
      forgotten += rowCount ?? 0;
      if ((rowCount ?? 0) < FORGOTTEN_AT_ONCE) return forgotten;
    }
  }

  /** How long the oldest run nobody works on has waited, by queue, in seconds; 0 when none waits. */
  async oldestWaitSec(): Promise<{ readonly live: number; readonly presence: number }> {
    const { rows } = await this.database.pool.query<{ live: number | null; presence: number | null }>(
      `SELECT extract(epoch FROM now() - min(created_at) FILTER (WHERE kind <> 'presence'))::float8 AS live,
              extract(epoch FROM now() - min(created_at) FILTER (WHERE kind = 'presence'))::float8 AS presence
       FROM probe_run WHERE status = 'queued' AND deadline_at > now()`,
    );
    return { live: rows[0]?.live ?? 0, presence: rows[0]?.presence ?? 0 };
  }

  private async expire(subject: string): Promise<boolean> {
    const { rowCount } = await this.database.pool.query(
      `UPDATE probe_run SET status = 'expired', finished_at = now()
       WHERE subject = $1 AND status IN ('queued', 'running') AND deadline_at <= now()`,
      [subject],
    );
    return rowCount === 1;
  }
}

/** Two unfinished runs never share it. A host and its protocols keep the names they had before there were other kinds. */
function subjectOf(request: RunRequest): string {
  switch (request.kind) {
    case 'host':
      return request.domain;
    case 'protocol':
      return `${request.domain}/${request.protocol}`;
    case 'presence':
      return `presence ${request.domain}`;
    case 'endpoint_health':
      return `endpoint_health ${request.method} ${request.url}`;
    case 'payto_check':
      return `payto_check ${request.domain}`;
  }
}

function columnsOf(request: RunRequest): { readonly protocol: string | null; readonly args: string | null } {
  const protocol = request.kind === 'protocol' ? request.protocol : null;
  const args = request.kind === 'endpoint_health' ? { url: request.url, method: request.method } : null;
  return { protocol, args: args && JSON.stringify(args) };
}

function requestOf({ kind, domain, protocol, args }: Row): RunRequest {
  switch (kind) {
    case 'protocol':
      return { kind, domain, protocol: protocol ?? '' };
    case 'endpoint_health':
      return { kind, domain, ...(args as { url: string; method: 'GET' | 'POST' }) };
    default:
      return { kind, domain };
  }
}

function toRun(row: Row): Run {
  return {
    ...requestOf(row),
    id: row.id,
    status: row.status,
    outcome: row.outcome,
    failure: row.failure,
    deadlineAt: row.deadline_at,
  };
}
