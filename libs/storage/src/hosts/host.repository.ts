import { changeAlerts } from '@app/owners';
import type { Bundle } from '@app/evidence';
import { defined } from '@app/platform';
import { HostName } from '@app/hosts';
import { historyDays, historyOf, type DriftMemory, type History, type HostClocks } from '@app/reports';
import { z } from 'zod';
import type { Database, Transaction } from '../database/database';
import { json } from '../database/json';
import { putBundle, type SealedBundle } from '../evidence/evidence-objects';
import { sealBundle, writeBundle } from '../evidence/stored-bundle';
import { Prisma } from '../generated/client';
import { WATCH_IS_ACTIVE, writeAlerts } from '../owners/alert-outbox';
import { runNotice } from '../runs/run-notice';
import { countedDays, outcomesOf, writeHostDay, type CountedRow } from './host-day';
import { Abandoned, begun, writeReport, type Probe, type WrittenReport } from './written-report';

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

const REPORT = {
  ...{ version: true, facts: true, probedAt: true, callabilityProbedAt: true },
  ...{ statementId: true, factsSha256: true, evidenceRoot: true, evidenceLines: true },
} as const satisfies Prisma.HostSelect;
type ReportRow = Prisma.HostGetPayload<{ select: typeof REPORT }>;
const COLUMNS = Prisma.sql`host.domain, version, facts, probed_at AS "probedAt", callability_probed_at AS "callabilityProbedAt",
  statement_id AS "statementId", facts_sha256 AS "factsSha256", evidence_root AS "evidenceRoot", evidence_lines AS "evidenceLines"`;

/** A host without a reader for longer gets no free probe by the clock (behaviour 3.9). */
const RECENTLY_READ = Prisma.sql`interval '30 days'`;
const Names = z.array(z.object({ domain: z.string() }));

/** Watched hosts of one buyer or site that are due and wait for no other's: few of what one round probes. */
const MAX_DUE_PER_PARTY = 10;

/** Reports and what belongs to them. SQL is the free read, and which hosts are due: turns, and times by the database's clock. */
export class HostRepository {
  constructor(private readonly database: Database) {}

  async findReport(domain: string): Promise<StoredReport | undefined> {
    const row = await this.database.prisma.host.findUnique({ where: { domain }, select: REPORT });
    return row ? storedReport(row) : undefined;
  }

  /**
   * {@link findReport} of several hosts at once, by domain, with their history; hosts without a row are missing. The read behind
   * every free report that is in no memory: a prepared statement, since Prisma takes as long as the rest of the answer.
   */
  async findReports(domains: readonly string[]): Promise<ReadonlyMap<string, StoredReport>> {
    const span = historyDays(new Date());
    const rows = await this.database.rawQuery(
      Prisma.sql`SELECT ${COLUMNS}, counted.* FROM host, LATERAL (${countedDays(span)}) counted
        WHERE host.domain = ANY(${domains}::text[])`,
      'host_reports',
    );
    return new Map(
      (rows as readonly (ReportRow & CountedRow & { domain: string })[]).map((row) => [
        row.domain,
        { ...storedReport(row), history: historyOf(outcomesOf(row), span) },
      ]),
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
    const select = { ...REPORT, driftMemory: true } as const;
    const row = await this.database.prisma.host.findUnique({ where: { domain }, select });
    return row ? { ...storedReport(row), driftMemory: row.driftMemory as DriftMemory | null } : undefined;
  }

  /**
   * Hosts whose free probe is due, the longest unseen first: a day after the last probe what they publish, and a week
   * for those that did not answer. Free probes that found nothing to store (refused, given up) count as well. A name
   * that today's rules refuse is left out.
   */
  async dueForPresence(limit: number): Promise<readonly HostName[]> {
    return this.named(
      Prisma.sql`SELECT domain FROM host
       WHERE coalesce(probed_at, updated_at) <= now() - CASE WHEN reachable IS FALSE THEN interval '7 days'
                                                             ELSE interval '1 day' END
         AND last_read_at > now() - ${RECENTLY_READ}
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
    const seen = Prisma.sql`coalesce(CASE WHEN h.silent = 1 THEN probed_at ELSE callability_probed_at END, '-infinity')`;
    const due = Prisma.sql`now() - CASE WHEN h.silent = 1 THEN interval '5 minutes' ELSE interval '6 hours' END`;
    const turnOf = (party: 'buyer' | 'site'): Prisma.Sql =>
      Prisma.sql`dense_rank() OVER (PARTITION BY ${Prisma.raw(party)} ORDER BY seen, domain) / ${MAX_DUE_PER_PARTY}`;
    return this.named(
      Prisma.sql`WITH watched AS (
         SELECT w.domain, w.host_site AS site, coalesce(p.payer, w.host_site) AS buyer, ${seen} AS seen
         FROM watch w LEFT JOIN payment_attempt p ON p.payload_digest = w.payment_digest AND p.sku = 'watch'
           LEFT JOIN watched_host h ON h.domain = w.domain LEFT JOIN host ON host.domain = w.domain
         WHERE ${WATCH_IS_ACTIVE} AND ${seen} <= ${due}
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
      await writeAlerts(tx, { domain, at, changes: changeAlerts(events), sample });
    });
  }

  /** Stores what newer rules make of the evidence; false when a probe came first. */
  async saveRejudged(report: WrittenReport): Promise<boolean> {
    const saved = await this.written(async (tx) => {
      await writeReport(tx, await begun(tx, report.domain), report);
    });
    return saved === 'saved';
  }

  /** Counts a probe that was not made, for a reason on the side of the service. */
  async addUnknown(domain: string, at: Date, reason: string): Promise<void> {
    await writeHostDay(this.database.prisma, domain, { at, outcome: 'unknown', reason, bought: false });
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
  private async named(list: Prisma.Sql, most: number): Promise<readonly HostName[]> {
    const hosts: HostName[] = [];
    for (let offset = 0; ; offset += most) {
      const rows = Names.parse(await this.database.prisma.$queryRaw`${list} LIMIT ${most} OFFSET ${offset}`);
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

function storedReport(row: ReportRow): StoredReport {
  const { version, facts, statementId: id, factsSha256: sha256, evidenceRoot: root, evidenceLines: lines } = row;
  const clocks = {
    probedAt: row.probedAt?.toISOString(),
    callabilityProbedAt: row.callabilityProbedAt?.toISOString(),
  };
  const report = { version, facts, clocks: defined(clocks) };
  if (id === null || sha256 === null) return report;
  return { ...report, stated: { id, sha256, ...(root !== null && lines !== null && { evidence: { root, lines } }) } };
}
