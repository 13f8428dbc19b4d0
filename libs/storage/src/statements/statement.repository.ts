import type { Database } from '../database/database';

/** The report behind a statement. */
export interface KeptReport {
  readonly sha256: string;
  readonly domain: string;
  /** The stored text. */
  readonly facts: string;
  readonly evidenceRoot?: string;
  readonly neededUntil: Date;
}

/** A probe that failed on our side. */
export interface FailedProbe {
  readonly id: string;
  readonly at: Date;
  readonly reason: string;
}

/** The data behind statements: the reports they name, and failed probes. */
export class StatementRepository {
  constructor(private readonly database: Database) {}

  /** Stores the report of a statement, before the statement is sent. */
  async keepReport({ sha256, domain, facts, evidenceRoot, neededUntil }: KeptReport): Promise<void> {
    // Uses SQL, so that of two concurrent statements the later expiry counts.
    await this.database.prisma.$executeRaw`
      INSERT INTO report_text (sha256, domain, facts, evidence_root, needed_until)
      VALUES (${sha256}, ${domain}, ${facts}, ${evidenceRoot ?? null}, ${neededUntil})
      ON CONFLICT (sha256) DO UPDATE SET needed_until = greatest(report_text.needed_until, excluded.needed_until)`;
  }

  /** The text of a report by its hash: the current one of its host, or one that a statement refers to. */
  async report(domain: string, sha256: string): Promise<string | undefined> {
    const { host, reportText } = this.database.prisma;
    const select = { facts: true };
    const current = await host.findUnique({ where: { domain, factsSha256: sha256 }, select });
    return (current ?? (await reportText.findUnique({ where: { sha256, domain }, select })))?.facts;
  }

  /** The last probe of a whole host, if it failed on our side. */
  async failedProbe(domain: string): Promise<FailedProbe | undefined> {
    const last = await this.database.prisma.probeRun.findFirst({
      where: { domain, kind: { in: ['host', 'presence', 'watch'] }, status: { notIn: ['queued', 'running'] } },
      orderBy: { createdAt: 'desc' },
      select: { id: true, finishedAt: true, failure: true },
    });
    if (!last?.finishedAt || last.failure === null) return undefined;
    return { id: last.id, at: last.finishedAt, reason: last.failure };
  }
}
