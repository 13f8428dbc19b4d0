import { changeAlerts } from '@app/owners';
import type { Bundle } from '@app/evidence';
import { defined } from '@app/platform';
import { HostName } from '@app/hosts';
import { historyDays, historyOf, type DriftMemory, type History, type HostClocks, type Skipped } from '@app/reports';
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

/** A stored report for the read path: text and times, without parsing. */
export interface StoredReport {
  readonly version: number;
  /** The JSON text of the report without `cache` and `refresh`. */
  readonly facts: string;
  readonly clocks: HostClocks;
  /** Missing if there can be no statement about it any more. */
  readonly stated?: StatedText;
  /** Only set when it was read for readers of the free report. */
  readonly history?: History;
  /** The same: the last free probe that ended, when it was skipped after the report. */
  readonly skipped?: Skipped;
}

/** A host without a report whose last free probe was skipped. */
type SkippedHost = Required<Pick<StoredReport, 'skipped'>> & { readonly facts?: never };
export type FoundHost = StoredReport | SkippedHost;

/** The data about a stored text that a statement needs. */
interface StatedText {
  /** The id of the run that wrote it; after a re-evaluation, followed by a dot and the version of the rules. */
  readonly id: string;
  /** Hex SHA-256 of the text. */
  readonly sha256: string;
  /** The evidence behind it, if stored. */
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
const COLUMNS = Prisma.sql`version, facts, probed_at AS "probedAt", callability_probed_at AS "callabilityProbedAt",
  statement_id AS "statementId", facts_sha256 AS "factsSha256", evidence_root AS "evidenceRoot", evidence_lines AS "evidenceLines"`;

/** After this time without a reader, a host gets no scheduled free probes (behaviour 3.9). */
const RECENTLY_READ = Prisma.sql`interval '30 days'`;
const Names = z.array(z.object({ domain: z.string() }));

/** How many due hosts of one buyer or site come before those of others; a small part of one round. */
const MAX_DUE_PER_PARTY = 10;

/** Reports and their data. Uses SQL for the free read, and to select due hosts in turns and by the database's clock. */
export class HostRepository {
  constructor(private readonly database: Database) {}

  async findReport(domain: string): Promise<StoredReport | undefined> {
    const row = await this.database.prisma.host.findUnique({ where: { domain }, select: REPORT });
    return row ? storedReport(row) : undefined;
  }

  /**
   * Like {@link findReport} for several hosts at once, by domain, with their history and skipped probes; unknown hosts
   * are missing. Every uncached free report uses this read. It is a prepared statement, because Prisma would take as long
   * as the rest of the answer.
   */
  async findReports(domains: readonly string[]): Promise<ReadonlyMap<string, FoundHost>> {
    const span = historyDays(new Date());
    const rows = await this.database.rawQuery(
      Prisma.sql`SELECT asked.domain, ${COLUMNS}, counted.*, free.skipped
        FROM unnest(${domains}::text[]) AS asked(domain) LEFT JOIN host ON host.domain = asked.domain,
          LATERAL (${countedDays(span)}) counted, LATERAL (${lastFreeProbe}) free`,
      'host_reports',
    );
    return new Map(
      (rows as readonly FoundRow[]).flatMap((row): readonly [string, FoundHost][] => {
        const { domain, skipped } = row;
        if (!isReport(row)) return skipped ? [[domain, { skipped }]] : [];
        const isNewer = skipped && skipped.at > (row.probedAt?.toISOString() ?? '');
        const history = historyOf(outcomesOf(row), span);
        return [[domain, { ...storedReport(row), history, ...(isNewer && { skipped }) }]];
      }),
    );
  }

  /** Keeps a host off {@link latest}, as long as it has a report. */
  async unlist(domain: string): Promise<void> {
    await this.database.prisma.host.updateMany({ where: { domain }, data: { unlisted: true } });
  }

  /** The reports of the most recently probed hosts, without those kept off lists. */
  async latest(limit: number): Promise<readonly string[]> {
    const rows = await this.database.prisma.host.findMany({
      where: { probedAt: { not: null }, unlisted: false },
      orderBy: { probedAt: 'desc' },
      take: limit,
      select: { facts: true },
    });
    return rows.map(({ facts }) => facts);
  }

  /** The stored report with the data needed to detect changes at the next probe. */
  async find(domain: string): Promise<StoredHost | undefined> {
    const select = { ...REPORT, driftMemory: true } as const;
    const row = await this.database.prisma.host.findUnique({ where: { domain }, select });
    return row ? { ...storedReport(row), driftMemory: row.driftMemory as DriftMemory | null } : undefined;
  }

  /**
   * Hosts whose free probe is due, the oldest first: a day after the last probe, or a week if the host did not answer.
   * Free probes that stored nothing (refused, given up) count too. Names that are invalid under today's rules are left
   * out.
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
   * Watched hosts whose probe is due, the oldest first: six hours after a full probe, and five minutes after one that
   * got no answer, to see whether the host stays down. Buyers and sites take turns: if too many hosts are due, only the
   * buyers and sites with many of them wait.
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
   * Stores report, changes, alerts, evidence and the run's outcome in one transaction, and notifies waiting processes.
   * Nothing is written if the run is already over (`run_over`) or another probe was stored first (`stale_base`); then
   * the caller must compute again from the new base.
   */
  async saveProbe(probe: Probe): Promise<'saved' | 'stale_base' | 'run_over'> {
    const { runId, domain, events, sample, bought } = probe;
    const finished = runNotice(runId, JSON.stringify(probe.outcome));
    const sealed = probe.bundle && (await this.keep(domain, probe.bundle)); // before a connection is taken
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

  /** Stores the result of re-evaluating the evidence with newer rules; false if a probe was stored first. */
  async saveRejudged(report: WrittenReport): Promise<boolean> {
    const saved = await this.written(async (tx) => {
      await writeReport(tx, await begun(tx, report.domain), report);
    });
    return saved === 'saved';
  }

  /** Counts a scheduled probe that failed on our side. */
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

  /** The first hosts of a list. Names that are invalid under today's rules are skipped without using up the limit. */
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

/** A row of {@link HostRepository.findReports}. */
type FoundRow = CountedRow & { readonly domain: string; readonly skipped: Skipped | null } & (
    ReportRow | { readonly version: null }
  );

function isReport(row: FoundRow): row is FoundRow & ReportRow {
  return row.version !== null;
}

/** SQL: why the last free probe of a host was skipped, one row; null when it was not. By the index probe_run_free_idx. */
const lastFreeProbe = Prisma.sql`
  SELECT (SELECT outcome->'skipped' FROM probe_run WHERE probe_run.domain = asked.domain
            AND kind IN ('presence', 'watch') AND status = 'done' ORDER BY created_at DESC LIMIT 1) AS skipped`;

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
