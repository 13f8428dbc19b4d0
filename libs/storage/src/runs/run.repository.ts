import { randomUUID } from 'node:crypto';
import type { Database } from '../database/database';
import { progressNotice, runNotice, type RunProgress } from './run-notice';
import type { Vault } from '../database/vault';

/** What a worker has to do, as it is stored; the contract of the queue says what each kind means. */
interface Order {
  readonly kind: string;
  /** The host name whose budgets and history the run counts against. */
  readonly domain: string;
  readonly args: unknown;
}

/** An order with how far it came. */
export interface StoredRun extends Order {
  readonly id: string;
  readonly status: 'queued' | 'running' | 'done' | 'failed' | 'expired';
  /** What the worker found, for `done`. */
  readonly outcome: unknown;
  /** Code of a failure of this service, for `failed`. */
  readonly failure: string | null;
  readonly deadlineAt: Date;
}

/** The last free full probe of a host. */
export interface LastProbe {
  readonly status: StoredRun['status'];
  readonly begunAt: Date;
  /** The host's robots.txt asks us to stay away, so that nothing else was asked for. */
  readonly skipped: 'robots_txt' | null;
}

/** Kinds of runs that nobody pays for: readers', scheduled and owners' probes, and checks of claims. */
export const FREE_RUNS: readonly string[] = ['presence', 'watch', 'claim_check'];

/** The queue that a run stands in, by its kind. */
const QUEUE = `CASE kind WHEN 'claim_check' THEN 'claims' WHEN 'presence' THEN 'presence' WHEN 'watch' THEN 'presence' ELSE 'live' END`;
type QueueName = 'live' | 'presence' | 'claims';

const COLUMNS = 'id, kind, domain, args, status, outcome, failure, deadline_at AS "deadlineAt"';

/**
 * A database that loses the last runs in a crash costs their buyers a retry, so a statement does not wait until the
 * disk has a run. What is charged for is in the ledger, whose commit before the money waits for everything
 * that was written before it, too.
 */
const WITHOUT_WAITING = `set_config('synchronous_commit', 'off', true)`;

/**
 * Probes hosts, one row each. Single flight is a partial unique index, so it holds across all processes. SQL is what
 * conflicts with that index, notifies in the same statement, or is about deadlines, which go by the database's clock.
 */
export class RunRepository {
  constructor(private readonly database: Database) {}

  /**
   * Joins the unfinished run of the same subject or makes a new one. `fresh` tells which: only a new run is enqueued.
   * A run whose deadline passed is expired, so that a lost worker never blocks its subject.
   */
  async open(
    { kind, domain, args, subject }: Order & { readonly subject: string },
    deadlineAt: Date,
  ): Promise<{ readonly run: StoredRun; readonly fresh: boolean }> {
    const vault = await this.database.secrets.vault();
    const [id, name] = [randomUUID(), nameOf(vault, subject)];
    for (;;) {
      const inserted = await this.database.pool.query<StoredRun>({
        name: 'run_open',
        text: `INSERT INTO probe_run (id, kind, domain, args, subject, status, created_at, deadline_at)
               VALUES ($1, $2, $3, $4, $5, 'queued', now(), $6)
               ON CONFLICT (subject) WHERE status IN ('queued', 'running') DO NOTHING
               RETURNING ${COLUMNS}, ${WITHOUT_WAITING}`,
        values: [id, kind, domain, sealed(vault, id, args), name, deadlineAt],
      });
      if (inserted.rows[0]) return { run: opened(vault, inserted.rows[0]), fresh: true };
      if (await this.expire(name)) continue;
      const joined = await this.database.pool.query<StoredRun>(
        `SELECT ${COLUMNS} FROM probe_run WHERE subject = $1 AND status IN ('queued', 'running')`,
        [name],
      );
      if (joined.rows[0]) return { run: opened(vault, joined.rows[0]), fresh: false };
    }
  }

  /** The unfinished run of the same subject, which `open` would join. */
  async underWay(subject: string): Promise<StoredRun | undefined> {
    const { rows } = await this.database.pool.query<StoredRun>(
      `SELECT ${COLUMNS} FROM probe_run WHERE subject = $1 AND status IN ('queued', 'running') AND deadline_at > now()`,
      [nameOf(await this.database.secrets.vault(), subject)],
    );
    return this.first(rows);
  }

  /** Tells those that follow a run how far it came. Nothing is stored: who comes later hears of what comes later. */
  async tell(id: string, progress: RunProgress): Promise<void> {
    await this.database.pool.query({
      name: 'run_tell',
      text: `SELECT pg_notify('run_progress', $1)`,
      values: [progressNotice(id, progress)],
    });
  }

  async find(id: string): Promise<StoredRun | undefined> {
    const { rows } = await this.database.pool.query<StoredRun>({
      name: 'run_find',
      text: `SELECT ${COLUMNS} FROM probe_run WHERE id = $1`,
      values: [id],
    });
    return this.first(rows);
  }

  /** What became of the free full probe of a host that began last. */
  async lastFree(domain: string): Promise<LastProbe | undefined> {
    const { rows } = await this.database.pool.query<LastProbe>(
      `SELECT status, created_at AS "begunAt", outcome->>'skipped' AS skipped FROM probe_run
       WHERE domain = $1 AND kind = 'watch' ORDER BY created_at DESC LIMIT 1`,
      [domain],
    );
    return rows[0];
  }

  /** Takes a run for work. Undefined when it is finished or past its deadline, so that a stale job does nothing. */
  async begin(id: string): Promise<StoredRun | undefined> {
    const { rows } = await this.database.pool.query<StoredRun>({
      name: 'run_begin',
      text: `UPDATE probe_run SET status = 'running', started_at = now()
             WHERE id = $1 AND status IN ('queued', 'running') AND deadline_at > now()
             RETURNING ${COLUMNS}, ${WITHOUT_WAITING}`,
      values: [id],
    });
    return this.first(rows);
  }

  /**
   * Ends a run that changes no report with what it found, and notifies those that wait. A run that is over already (its
   * deadline passed, or the job came twice) stays as it is.
   */
  async finish(id: string, outcome: unknown): Promise<void> {
    const text = JSON.stringify(outcome);
    await this.database.pool.query({
      name: 'run_finish',
      text: `WITH ended AS (UPDATE probe_run SET status = 'done', outcome = $2, finished_at = now()
                            WHERE id = $1 AND status IN ('queued', 'running') RETURNING id)
             SELECT pg_notify('run_finished', $3), ${WITHOUT_WAITING} FROM ended`,
      values: [id, sealed(await this.database.secrets.vault(), id, outcome), runNotice(id, text)],
    });
  }

  /** Ends a run for a reason of this service (never of the host), and notifies those that wait. */
  async fail(id: string, failure: string): Promise<void> {
    await this.database.pool.query(
      `WITH ended AS (UPDATE probe_run SET status = 'failed', failure = $2, finished_at = now()
                      WHERE id = $1 AND status IN ('queued', 'running') RETURNING id)
       SELECT pg_notify('run_finished', id::text) FROM ended`,
      [id, failure],
    );
  }

  /** Unfinished runs of a queue that still have time. */
  async waiting(queue: QueueName): Promise<number> {
    const { rows } = await this.database.pool.query<{ waiting: string }>(
      `SELECT count(*) AS waiting FROM probe_run
       WHERE status IN ('queued', 'running') AND deadline_at > now() AND ${QUEUE} = $1`,
      [queue],
    );
    return Number(rows[0]?.waiting ?? 0);
  }

  /** How long the oldest run that is not worked on has waited, by queue, in seconds; 0 when none waits. */
  async oldestWaitSec(): Promise<Readonly<Record<QueueName, number>>> {
    const { rows } = await this.database.pool.query<{ queue: QueueName; sec: number }>(
      `SELECT ${QUEUE} AS queue, extract(epoch FROM now() - min(created_at))::float8 AS sec
       FROM probe_run WHERE status = 'queued' AND deadline_at > now() GROUP BY 1`,
    );
    return { live: 0, presence: 0, claims: 0, ...Object.fromEntries(rows.map(({ queue, sec }) => [queue, sec])) };
  }

  private async first([run]: readonly StoredRun[]): Promise<StoredRun | undefined> {
    return run && opened(await this.database.secrets.vault(), run);
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

/** What is stored of arguments and outcomes: sealed where they name a URL, which may hold a token (behaviour 13.5). */
function sealed(vault: Vault, id: string, value: unknown): string {
  const text = JSON.stringify(value);
  return /"url":/.test(text) ? JSON.stringify({ sealed: vault.sealText('run', id, text) }) : text;
}

/** The same for the same subject, and nothing to read where it names a URL. */
function nameOf(vault: Vault, subject: string): string {
  return subject.includes('://') ? vault.keyedHash('run', subject) : subject;
}

function opened(vault: Vault, run: StoredRun): StoredRun {
  const read = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || !('sealed' in value)) return value;
    const text = vault.openText('run', run.id, String(value.sealed));
    if (text === undefined) throw new Error(`the run ${run.id} cannot be opened`);
    return JSON.parse(text);
  };
  return { ...run, args: read(run.args), outcome: read(run.outcome) };
}
