import { createHash } from 'node:crypto';
import type { Bundle } from '@app/evidence';
import type { DriftEvent, DriftMemory, HostClocks, HostSample, PaymentRail } from '@app/reports';
import { z } from 'zod';
import { isTaken, type Transaction } from '../database/database';
import { json } from '../database/json';
import type { SealedBundle } from '../evidence/evidence-objects';
import { Prisma } from '../generated/client';
import { railRows } from './rail.repository';

/** A report to be stored, with derived data. */
export interface WrittenReport {
  readonly domain: string;
  readonly site: string;
  /** The version it was computed from; 0 for a host without a row. */
  readonly baseVersion: number;
  readonly facts: string;
  readonly clocks: HostClocks;
  readonly reachable: boolean | null;
  readonly payable: boolean;
  /** The payment options of the report, in its order, by which hosts can be found. */
  readonly rails: readonly PaymentRail[];
  readonly driftMemory: DriftMemory | null;
  readonly events: readonly DriftEvent[];
  /** See {@link StatedText}; null if there can be no statement about it any more. */
  readonly statementId: string | null;
}

/** Everything that one probe changes, written in one transaction. */
export interface Probe extends Omit<WrittenReport, 'statementId'> {
  readonly runId: string;
  /** Whether somebody paid for it; the buyer counts as a reader. */
  readonly bought: boolean;
  /** The sample for the day's availability; missing for a probe of one protocol. */
  readonly sample?: HostSample;
  /** The new evidence of the report; undefined keeps the old one (a one-protocol probe covers only one cell). */
  readonly bundle?: Bundle;
  /** The answer for the waiting gateway. */
  readonly outcome: unknown;
}

/** Why a transaction that stores a report is rolled back. */
export class Abandoned extends Error {
  constructor(readonly reason: 'stale_base' | 'run_over') {
    super(reason);
  }
}

/** Data that is stored along with the report of a probe. */
interface WriteContext {
  /** Whether somebody paid for it; the buyer counts as a reader. */
  readonly bought: boolean;
  readonly sealed: SealedBundle | undefined;
}

/**
 * Starts a transaction that stores a report. With its commit, followers of the host and of the run are notified. Uses
 * SQL for the notifications and for the time: times that processes compare with `now()` or with each other must come
 * from the database's clock.
 * @returns that time, which is constant within a transaction
 */
export async function begun(tx: Transaction, domain: string, finished?: string): Promise<Date> {
  const [{ at }] = Begun.parse(
    await tx.$queryRaw`SELECT now()::timestamptz(3) AS at, pg_notify('host_changed', ${domain})::text,
      CASE WHEN ${finished !== undefined} THEN pg_notify('run_finished', ${finished ?? ''})::text END`,
  );
  return at;
}

const Begun = z.tuple([z.object({ at: z.date() })]);

/**
 * The maximum bytes that one probe may write as report, memory for changes, payment options and changes: about forty
 * times the longest honest report. A longer one is neither stored nor charged.
 */
export const REPORT_BYTES = 1_048_576;

/**
 * @param beside missing for a re-evaluated report, whose evidence stays the same
 * @throws {Abandoned}
 */
export async function writeReport(
  tx: Transaction,
  at: Date,
  report: WrittenReport,
  beside?: WriteContext,
): Promise<void> {
  const { domain, baseVersion: version, facts, driftMemory, events, rails } = report;
  const bytes = Buffer.byteLength(facts) + Buffer.byteLength(JSON.stringify([driftMemory, rails, events]));
  if (bytes > REPORT_BYTES) throw new Error(`a report of ${bytes} bytes is too large to store`);
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

function columnsOf(at: Date, report: WrittenReport, beside: WriteContext | undefined) {
  const { site, facts, clocks, reachable, payable, driftMemory, statementId } = report;
  return {
    ...{ site, facts, factsSha256: createHash('sha256').update(facts).digest('hex'), statementId },
    ...{ probedAt: clocks.probedAt ?? null, callabilityProbedAt: clocks.callabilityProbedAt ?? null, updatedAt: at },
    ...{ reachable, payable, driftMemory: driftMemory === null ? Prisma.DbNull : json(driftMemory) },
    ...(beside && { evidenceRoot: beside.sealed?.root ?? null, evidenceLines: beside.sealed?.lineCount ?? null }),
    ...(beside?.bought && { lastReadAt: at, boughtAt: at }),
  };
}
