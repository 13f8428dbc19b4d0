import { createHash } from 'node:crypto';
import { alertTypesOf } from '@app/owners';
import type { Bundle } from '@app/evidence';
import { defined } from '@app/platform';
import {
  historyDays,
  historyOf,
  HostName,
  type DriftEvent,
  type DriftMemory,
  type History,
  type HostClocks,
  type HostSample,
  type PaymentRail,
} from '@app/reports';
import { z } from 'zod';
import { WATCH_IS_ACTIVE, writeAlerts } from '../owners/alert-outbox';
import { isTaken, type Database, type Transaction } from '../database/database';
import { json } from '../database/json';
import { putBundle, type SealedBundle } from '../evidence/evidence-objects';
import { COUNTED_DAYS, outcomesOf, writeHostDay, type CountedRow } from './host-day';
import { railRows } from './rail.repository';
import { Prisma } from '../generated/client';
import { requireShort } from './report-size';
import { runNotice } from '../runs/run-notice';
import { sealBundle, writeBundle } from '../evidence/stored-bundle';

/** A stored report as the read path wants it: text and clocks, nothing parsed. */
export interface StoredReport {
  readonly version: number;
  /** JSON text of the report without `cache` and `refresh`. */
  readonly facts: string;
  readonly clocks: HostClocks;
  /** Missing for what can be stated no more. */
  readonly stated?: StatedText;
  /** Where it was read for readers of the free report. */
  readonly history?: History;
}

/** What a statement needs to know of a stored text. */
interface StatedText {
  /** The run that wrote it; after a dot the rules it was judged by again. */
  readonly id: string;
  /** Hex SHA-256 of the text. */
  readonly sha256: string;
  /** The evidence it rests on, when that is stored. */
  readonly evidence?: { readonly root: string; readonly lines: number };
}

export interface StoredHost extends StoredReport {
  readonly driftMemory: DriftMemory | null;
}

/** A report as it is written, with what follows from it. */
export interface WrittenReport {
  readonly domain: string;
  readonly site: string;
  /** Version it was computed against; 0 for a host without a row. */
  readonly baseVersion: number;
  readonly facts: string;
  readonly clocks: HostClocks;
  readonly reachable: boolean | null;
  readonly payable: boolean;
  /** The rails of the report, in its order; hosts are found by them. */
  readonly rails: readonly PaymentRail[];
  readonly driftMemory: DriftMemory | null;
  readonly events: readonly DriftEvent[];
  /** See {@link StatedText}; null for what can be stated no more. */
  readonly statementId: string | null;
}

/** Everything one probe changes, written together or not at all. */
export interface Probe extends Omit<WrittenReport, 'statementId'> {
  readonly runId: string;
  /** Whether somebody paid for it, who counts as a reader. */
  readonly bought: boolean;
  /** What is counted for the day; a probe of one protocol counts for none. */
  readonly sample?: HostSample;
  /** What the report rests on from now; undefined keeps what it rested on (a one-protocol probe shows one cell only). */
  readonly bundle?: Bundle;
  /** What the waiting gateway gets. */
  readonly outcome: unknown;
}

interface Row {
  version: number;
  facts: string;
  probed_at: Date | null;
  callability_probed_at: Date | null;
  statement_id: string | null;
  facts_sha256: string | null;
  evidence_root: string | null;
  evidence_lines: number | null;
}

interface HostRow extends Row {
  drift_memory: DriftMemory | null;
}

/** The columns of a {@link Row}. */
const REPORT = `version, facts, probed_at, callability_probed_at, statement_id, facts_sha256, evidence_root, evidence_lines`;

/** A host without a reader for longer gets no free probe by the clock (behaviour 3.9). */
const READ_LATELY = '30 days';

/** Watched hosts of one buyer or site that are due and wait for no other's: few of what one round probes. */
const DUE_OF_ONE_PARTY = 10;

/** Reports and what belongs to them. SQL is what readers and probes wait for, and what no single Prisma call says. */
export class HostRepository {
  constructor(private readonly database: Database) {}

  /** The hot read: one prepared statement on the primary key. */
  async findReport(domain: string): Promise<StoredReport | undefined> {
    const { rows } = await this.database.pool.query<Row>({
      name: 'host_report',
      text: `SELECT ${REPORT} FROM host WHERE domain = $1`,
      values: [domain],
    });
    return rows[0] && storedReport(rows[0]);
  }

  /** {@link findReport} of several hosts at once, by domain, with their history; hosts without a row are missing. */
  async findReports(domains: readonly string[], now = new Date()): Promise<ReadonlyMap<string, StoredReport>> {
    const span = historyDays(now);
    const { rows } = await this.database.pool.query<Row & CountedRow & { domain: string }>({
      name: 'host_reports',
      text: `SELECT domain, ${REPORT}, counted.* FROM host, LATERAL (${COUNTED_DAYS}) counted
             WHERE domain = ANY($1::text[])`,
      values: [domains, span.from, span.to],
    });
    return new Map(
      rows.map((row) => [row.domain, { ...storedReport(row), history: historyOf(outcomesOf(row), span) }]),
    );
  }

  /** Keeps the name of a host out of {@link latest}, for as long as there is a report of it. */
  async unlist(domain: string): Promise<void> {
    await this.database.prisma.host.updateMany({ where: { domain }, data: { unlisted: true } });
  }

  /** Facts of the hosts that were probed last, the latest first, without those that are kept off lists. */
  async latest(limit: number): Promise<readonly string[]> {
    const rows = await this.database.prisma.host.findMany({
      where: { probedAt: { not: null }, unlisted: false },
      orderBy: { probedAt: 'desc' },
      take: limit,
      select: { facts: true },
    });
    return rows.map(({ facts }) => facts);
  }

  /** The stored report with what drift compares the next probe with. */
  async find(domain: string): Promise<StoredHost | undefined> {
    const { rows } = await this.database.pool.query<HostRow>({
      name: 'host_with_memory',
      text: `SELECT ${REPORT}, drift_memory FROM host WHERE domain = $1`,
      values: [domain],
    });
    return rows[0] && { ...storedReport(rows[0]), driftMemory: rows[0].drift_memory };
  }

  /**
   * Hosts whose free probe is due, the longest unseen first: a day after the last probe what they publish, and a week
   * for those that did not answer. Free probes that found nothing to store (refused, given up) count as well. A name
   * that today's rules refuse is left out.
   */
  async dueForPresence(limit: number): Promise<readonly HostName[]> {
    return this.named(
      `SELECT domain FROM host
       WHERE coalesce(probed_at, updated_at) <= now() - CASE WHEN reachable IS FALSE THEN interval '7 days'
                                                             ELSE interval '1 day' END
         AND last_read_at > now() - interval '${READ_LATELY}'
         AND NOT EXISTS (SELECT FROM probe_run WHERE probe_run.domain = host.domain AND kind = 'presence'
                                                 AND created_at > now() - interval '1 day')
       ORDER BY coalesce(probed_at, updated_at), domain`,
      limit,
    );
  }

  /**
   * Hosts that somebody watches and whose probe is due, the longest unseen first: six hours after a full one, and five minutes
   * after any that did not answer, to find out whether it stays away. Buyers and sites take turns: more hosts than can be probed in six hours delay
   * those of the buyer, or of the site, that has many due.
   */
  async dueForWatch(limit: number): Promise<readonly HostName[]> {
    const seen = `coalesce(CASE WHEN h.silent = 1 THEN probed_at ELSE callability_probed_at END, '-infinity')`;
    const due = `now() - CASE WHEN h.silent = 1 THEN interval '5 minutes' ELSE interval '6 hours' END`;
    const turnOf = (party: string): string =>
      `dense_rank() OVER (PARTITION BY ${party} ORDER BY seen, domain) / ${DUE_OF_ONE_PARTY}`;
    return this.named(
      `WITH watched AS (
         SELECT w.domain, w.host_site AS site, coalesce(p.payer, w.host_site) AS buyer, ${seen} AS seen
         FROM watch w LEFT JOIN payment_attempt p ON p.payload_digest = w.payment_digest AND p.sku = 'watch'
           LEFT JOIN watched_host h ON h.domain = w.domain LEFT JOIN host ON host.domain = w.domain
         WHERE ${WATCH_IS_ACTIVE.sql} AND ${seen} <= ${due}
           AND NOT EXISTS (SELECT FROM probe_run WHERE probe_run.domain = w.domain AND kind = 'watch'
             AND probe_run.created_at > CASE WHEN status = 'failed' THEN now() - interval '15 minutes' ELSE ${due} END)),
       turns AS (SELECT domain, seen, greatest(${turnOf('buyer')}, ${turnOf('site')}) AS turn FROM watched)
       SELECT domain FROM turns GROUP BY domain, seen ORDER BY min(turn), seen, domain`,
      limit,
    );
  }

  /**
   * Stores report, drift events, alerts, evidence and the run's outcome in one transaction and notifies those that wait. Nothing
   * is written when the run is over already (`run_over`), or when another probe came first (`stale_base`): then
   * the caller computes again on the new base.
   */
  async saveProbe(probe: Probe): Promise<'saved' | 'stale_base' | 'run_over'> {
    const { runId, domain, events, sample, bought } = probe;
    const finished = runNotice(runId, JSON.stringify(probe.outcome));
    const sealed = probe.bundle && (await this.keep(domain, probe.bundle)); // before a connection is held
    return this.written(async (tx) => {
      const at = await begun(tx, domain, finished);
      const run = await tx.probeRun.updateMany({
        where: { id: runId, status: { in: ['queued', 'running'] } },
        data: { status: 'done', outcome: json(probe.outcome), finishedAt: at },
      });
      if (run.count === 0) throw new Abandoned('run_over');
      await writeReport(tx, at, { ...probe, statementId: runId }, { bought, sealed });
      if (sample) await writeHostDay(tx, domain, sample);
      if (sealed) await writeBundle(tx, domain, sealed);
      await writeAlerts(tx, { domain, at, changes: alertTypesOf(events), sample });
    });
  }

  /** Stores what newer rules make of the evidence; false when a probe came first. */
  async saveRejudged(report: WrittenReport): Promise<boolean> {
    const saved = await this.written(async (tx) => {
      await writeReport(tx, await begun(tx, report.domain), report);
    });
    return saved === 'saved';
  }

  private written(write: (tx: Transaction) => Promise<void>): Promise<'saved' | Abandoned['reason']> {
    return this.database.inTransaction(write).then(
      () => 'saved',
      (error: unknown) => {
        if (error instanceof Abandoned) return error.reason;
        throw error;
      },
    );
  }

  /** The first hosts of a list; names that today's rules refuse are read past, so that they hide no others. */
  private async named(sql: string, most: number): Promise<readonly HostName[]> {
    const hosts: HostName[] = [];
    for (let offset = 0; ; offset += most) {
      const values = [most, offset];
      const { rows } = await this.database.pool.query<{ domain: string }>(`${sql} LIMIT $1 OFFSET $2`, values);
      for (const { domain } of rows) {
        const reading = HostName.parse(domain);
        if (reading.ok) hosts.push(reading.host);
      }
      if (hosts.length >= most || rows.length < most) return hosts.slice(0, most);
    }
  }

  private async keep(domain: string, bundle: Bundle): Promise<SealedBundle> {
    return putBundle(this.database, domain, await sealBundle(this.database, domain, bundle));
  }
}

function storedReport(row: Row): StoredReport {
  const { version, facts, statement_id: id, facts_sha256: sha256, evidence_root: root, evidence_lines: lines } = row;
  const report = { version, facts, clocks: clocksOf(row) };
  if (id === null || sha256 === null) return report;
  return { ...report, stated: { id, sha256, ...(root !== null && lines !== null && { evidence: { root, lines } }) } };
}

class Abandoned extends Error {
  constructor(readonly reason: 'stale_base' | 'run_over') {
    super(reason);
  }
}

/** What a report that a probe made has beside itself. */
interface Beside {
  /** Whether somebody paid for it, who counts as a reader. */
  readonly bought: boolean;
  readonly sealed: SealedBundle | undefined;
}

/**
 * Begins what stores a report: those that follow the host, and the run, hear of it with the commit. SQL for the notices, and for
 * the time: what any process compares with `now()`, or with what another one wrote, is of the database's clock.
 * @returns that time, which stands still in a transaction
 */
async function begun(tx: Transaction, domain: string, finished?: string): Promise<Date> {
  const [{ at }] = Begun.parse(
    await tx.$queryRaw`SELECT now()::timestamptz(3) AS at, pg_notify('host_changed', ${domain})::text,
      CASE WHEN ${finished !== undefined} THEN pg_notify('run_finished', ${finished ?? ''})::text END`,
  );
  return at;
}

const Begun = z.tuple([z.object({ at: z.date() })]);

/** @param beside missing for a report that was judged again: its evidence stays the same @throws {Abandoned} */
async function writeReport(tx: Transaction, at: Date, report: WrittenReport, beside?: Beside): Promise<void> {
  requireShort(report);
  const { domain, baseVersion: version, events, rails } = report;
  const data = columnsOf(at, report, beside);
  if (version > 0) {
    const { count } = await tx.host.updateMany({ where: { domain, version }, data: { ...data, version: version + 1 } });
    if (count === 0) throw new Abandoned('stale_base');
    await tx.hostRail.deleteMany({ where: { domain } });
  } else {
    await tx.host
      .create({ data: { ...data, domain, version: 1, lastReadAt: at }, select: { version: true } })
      .catch((error: unknown) => {
        throw isTaken(error) ? new Abandoned('stale_base') : error;
      });
  }
  if (rails.length > 0) await tx.hostRail.createMany({ data: railRows(domain, rails) });
  if (events.length > 0) {
    const value = (one: unknown) => json(one ?? null);
    const rows = events.map((event) => ({ ...event, domain, before: value(event.before), after: value(event.after) }));
    await tx.changeEvent.createMany({ data: rows });
  }
}

function columnsOf(at: Date, report: WrittenReport, beside: Beside | undefined) {
  const { site, facts, clocks, reachable, payable, driftMemory, statementId } = report;
  return {
    ...{ site, facts, factsSha256: createHash('sha256').update(facts).digest('hex'), statementId },
    ...{ probedAt: clocks.probedAt ?? null, callabilityProbedAt: clocks.callabilityProbedAt ?? null, updatedAt: at },
    ...{ reachable, payable, driftMemory: driftMemory === null ? Prisma.DbNull : json(driftMemory) },
    ...(beside && { evidenceRoot: beside.sealed?.root ?? null, evidenceLines: beside.sealed?.lineCount ?? null }),
    ...(beside?.bought && { lastReadAt: at, boughtAt: at }),
  };
}

function clocksOf(row: Pick<Row, 'probed_at' | 'callability_probed_at'>): HostClocks {
  return defined({
    probedAt: row.probed_at?.toISOString(),
    callabilityProbedAt: row.callability_probed_at?.toISOString(),
  });
}
