import { randomUUID } from 'node:crypto';
import { Skipped } from '@app/reports';
import { z } from 'zod';
import { timeOf } from '../database/clock';
import type { Database } from '../database/database';
import type { Vault } from '../database/vault';
import { Prisma } from '../generated/client';
import { progressNotice, runNotice, type RunProgress } from './run-notice';

/** The stored work of a worker; the run contract of the queue defines each kind. */
interface Order {
  readonly kind: string;
  /** The host name whose budgets and history the run counts against. */
  readonly domain: string;
  readonly args: unknown;
}

const Run = z.object({
  id: z.string(),
  kind: z.string(),
  domain: z.string(),
  args: z.unknown(),
  status: z.enum(['queued', 'running', 'done', 'failed', 'expired']),
  /** The result, for `done`. */
  outcome: z.unknown(),
  /** The code of a failure on our side, for `failed`. */
  failure: z.string().nullable(),
  deadlineAt: z.date(),
});

/** An order with its state. */
export type StoredRun = Readonly<z.infer<typeof Run>>;

/** The outcome of a probe that the host did not want. */
const SkippedOutcome = z.object({ skipped: Skipped });

/** The last free full probe of a host. */
export interface LastProbe {
  readonly status: StoredRun['status'];
  readonly createdAt: Date;
  readonly skipped: Skipped | null;
}

type QueueName = 'live' | 'presence' | 'claims';

/** The queue of a run, by its kind; other kinds are in `live`. */
const QUEUES: Readonly<Record<string, QueueName>> = { presence: 'presence', watch: 'presence', claim_check: 'claims' };

/** Kinds of free runs: probes for readers, schedules and owners, and claim checks. */
export const FREE_RUNS: readonly string[] = Object.keys(QUEUES);

/** States of an unfinished run; only these are in the unique index on subjects. */
const OPEN = { in: ['queued', 'running'] };
const IS_OPEN = Prisma.sql`status IN ('queued', 'running')`;

const COLUMNS = Prisma.sql`id, kind, domain, args, status, outcome, failure, deadline_at AS "deadlineAt"`;

/**
 * If the database loses the latest runs in a crash, their buyers only need to retry, so these statements do not wait
 * for the disk. Charges are in the ledger, whose commit also waits for everything written before it.
 */
const ASYNC_COMMIT = Prisma.sql`set_config('synchronous_commit', 'off', true)`;

/** Probes of hosts, one row each. A partial unique index allows one running probe per host, across all processes. */
export class RunRepository {
  constructor(private readonly database: Database) {}

  /**
   * Joins the unfinished run of the same subject or creates one; `fresh` tells which, because only a new run must be
   * enqueued. A run past its deadline is expired, so that a lost worker does not block its subject.
   */
  async open(
    { kind, domain, args, subject }: Order & { readonly subject: string },
    deadlineAt: Date,
  ): Promise<{ readonly run: StoredRun; readonly fresh: boolean }> {
    const { prisma, secrets } = this.database;
    const vault = await secrets.vault();
    const [id, name] = [randomUUID(), nameOf(vault, subject)];
    for (;;) {
      // Uses SQL for the database's clock and for a commit that does not wait for the disk.
      const [inserted] = await prisma.$queryRaw<unknown[]>`
        INSERT INTO probe_run (id, kind, domain, args, subject, status, created_at, deadline_at)
        VALUES (${id}::uuid, ${kind}, ${domain}, ${sealed(vault, id, args)}::jsonb, ${name}, 'queued', now(), ${deadlineAt})
        ON CONFLICT (subject) WHERE ${IS_OPEN} DO NOTHING
        RETURNING ${COLUMNS}, ${ASYNC_COMMIT}`;
      const made = await this.opened(inserted);
      if (made) return { run: made, fresh: true };
      const now = await timeOf(prisma);
      const expired = await prisma.probeRun.updateMany({
        where: { subject: name, status: OPEN, deadlineAt: { lte: now } },
        data: { status: 'expired', finishedAt: now },
      });
      const joined = expired.count === 0 && (await this.inFlight(name));
      if (joined) return { run: joined, fresh: false };
    }
  }

  /** The unfinished run of the same subject, which `open` would join. */
  async underWay(subject: string): Promise<StoredRun | undefined> {
    const run = await this.inFlight(nameOf(await this.database.secrets.vault(), subject));
    return run && run.deadlineAt > (await timeOf(this.database.prisma)) ? run : undefined;
  }

  /** Publishes the progress of a run to its followers. It is not stored, so later followers see only later progress. */
  async tell(id: string, progress: RunProgress): Promise<void> {
    // Uses SQL to send a notification.
    await this.database.prisma.$executeRaw`SELECT pg_notify('run_progress', ${progressNotice(id, progress)})`;
  }

  async find(id: string): Promise<StoredRun | undefined> {
    return this.opened(await this.database.prisma.probeRun.findUnique({ where: { id } }));
  }

  /** The outcome of the last started free full probe of a host. */
  async lastFree(domain: string): Promise<LastProbe | undefined> {
    const where = { domain, kind: 'watch' };
    const row = await this.database.prisma.probeRun.findFirst({ where, orderBy: { createdAt: 'desc' } });
    if (!row) return undefined;
    const { status, outcome } = Run.parse(row);
    return { status, createdAt: row.createdAt, skipped: SkippedOutcome.safeParse(outcome).data?.skipped ?? null };
  }

  /** Takes a run for work. Undefined if it is finished or past its deadline, so that a stale job does nothing. */
  async begin(id: string): Promise<StoredRun | undefined> {
    // Uses SQL as in `open`.
    const [begun] = await this.database.prisma.$queryRaw<unknown[]>`
      UPDATE probe_run SET status = 'running', started_at = now()
      WHERE id = ${id}::uuid AND ${IS_OPEN} AND deadline_at > now()
      RETURNING ${COLUMNS}, ${ASYNC_COMMIT}`;
    return this.opened(begun);
  }

  /**
   * Ends a run without a report by storing its outcome, and notifies waiting processes. A run that is already over
   * (past its deadline, or with a duplicate job) stays unchanged.
   */
  async finish(id: string, outcome: unknown): Promise<void> {
    const result = sealed(await this.database.secrets.vault(), id, outcome);
    const end = Prisma.sql`status = 'done', outcome = ${result}::json`;
    await this.end(id, end, runNotice(id, JSON.stringify(outcome)));
  }

  /** Ends a run that failed on our side (never on the host's), and notifies waiting processes. */
  async fail(id: string, failure: string): Promise<void> {
    await this.end(id, Prisma.sql`status = 'failed', failure = ${failure}`, id);
  }

  /** Unfinished runs of a queue that are not past their deadline. */
  async waiting(queue: QueueName): Promise<number> {
    const { prisma } = this.database;
    const where = { status: OPEN, deadlineAt: { gt: await timeOf(prisma) } };
    const kinds = await prisma.probeRun.groupBy({ by: 'kind', where, _count: true });
    return kinds.reduce((sum, { kind, _count }) => sum + (queueOf(kind) === queue ? _count : 0), 0);
  }

  /** How long the oldest unstarted run of each queue has waited, in seconds; 0 if none is waiting. */
  async oldestWaitSec(): Promise<Readonly<Record<QueueName, number>>> {
    const { prisma } = this.database;
    const now = await timeOf(prisma);
    const where = { status: 'queued', deadlineAt: { gt: now } };
    const kinds = await prisma.probeRun.groupBy({ by: 'kind', where, _min: { createdAt: true } });
    const waits = { live: 0, presence: 0, claims: 0 };
    for (const { kind, _min: oldest } of kinds) {
      const sec = (now.getTime() - (oldest.createdAt ?? now).getTime()) / 1_000;
      waits[queueOf(kind)] = Math.max(waits[queueOf(kind)], sec);
    }
    return waits;
  }

  private async inFlight(name: string): Promise<StoredRun | undefined> {
    return this.opened(await this.database.prisma.probeRun.findFirst({ where: { subject: name, status: OPEN } }));
  }

  private async opened(row: unknown): Promise<StoredRun | undefined> {
    return row ? openRun(await this.database.secrets.vault(), Run.parse(row)) : undefined;
  }

  /**
   * Uses SQL to send the notifications in the same statement, with a commit that does not wait for the disk. A skipped
   * probe changes the report of its host, too.
   */
  private async end(id: string, end: Prisma.Sql, notice: string): Promise<void> {
    await this.database.prisma.$executeRaw`
      WITH ended AS (UPDATE probe_run SET ${end}, finished_at = now() WHERE id = ${id}::uuid AND ${IS_OPEN}
        RETURNING domain, outcome->'skipped' IS NOT NULL AS skipped)
      SELECT CASE WHEN skipped THEN pg_notify('host_changed', domain) END, pg_notify('run_finished', ${notice}), ${ASYNC_COMMIT}
      FROM ended`;
  }
}

function queueOf(kind: string): QueueName {
  return QUEUES[kind] ?? 'live';
}

/** Arguments and outcomes for storage: encrypted if they contain a URL, which may contain a token (behaviour 13.5). */
function sealed(vault: Vault, id: string, value: unknown): string {
  const text = JSON.stringify(value);
  return /"url":/.test(text) ? JSON.stringify({ sealed: vault.sealText('run', id, text) }) : text;
}

/** A stable name of the subject; a keyed hash if it contains a URL. */
function nameOf(vault: Vault, subject: string): string {
  return subject.includes('://') ? vault.keyedHash('run', subject) : subject;
}

function openRun(vault: Vault, run: StoredRun): StoredRun {
  const read = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || !('sealed' in value)) return value;
    const text = vault.openText('run', run.id, String(value.sealed));
    if (text === undefined) throw new Error(`cannot decrypt the run ${run.id}`);
    return JSON.parse(text);
  };
  return { ...run, args: read(run.args), outcome: read(run.outcome) };
}
