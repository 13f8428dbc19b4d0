import type { OptOuts } from '@app/limits';
import type { Subject } from '@app/payments';
import type { StatementRepository } from '@app/storage';
import { HostName } from '@app/hosts';
import {
  membersOf,
  endOf,
  formAt,
  signJws,
  unprobedMembers,
  type StatementMembers,
  type StatementForm,
} from '@app/signing';
import { defined } from '@app/platform';
import { LRUCache } from 'lru-cache';
import type { Sale } from '../checkout/release';
import { RequestError } from '../http/request-error';
import { contentTag } from '../http/entity-tag';
import type { CachedReport } from '../reports/cached-report';
import type { HostReportsService } from '../reports/host-reports.service';
import type { ReportKeys } from './report-keys';

/** A signed statement with its end of validity, in milliseconds since 1970. */
export interface Statement {
  readonly token: string;
  /** The id of its signing key. */
  readonly kid: string;
  readonly etag: string;
  readonly expiresAt: number;
}

/** How long a report stays at its URL after the last statement that names it has expired, in milliseconds. */
const KEPT_MS = 30 * 86_400_000;

/** How many statements are reused when their report is read again; each has about two kilobytes. */
const MAX_ISSUED = 5_000;

/** How long a host without a usable report is remembered, in milliseconds, and how many such hosts. */
const UNPROBED_MS = 15_000;
const MAX_UNPROBED = 5_000;

/** The input of a statement. */
interface Issue {
  readonly report: CachedReport;
  readonly form: StatementForm;
  readonly domain: string;
}

export interface StatementsDeps {
  readonly baseUrl: string;
  readonly reports: Pick<HostReportsService, 'stored' | 'peek' | 'assertStorageAnswers'>;
  readonly optOuts: Pick<OptOuts, 'covers'>;
  readonly keys: Pick<ReportKeys, 'ring' | 'trusts'>;
  readonly rows: Pick<StatementRepository, 'keepReport' | 'failedProbe'>;
}

/**
 * Statements about hosts. A statement is signed when its first reader asks; every gateway produces the same text,
 * because nothing in it depends on that time. The report is stored before its statement is sent.
 */
export class Statements {
  private readonly unprobedLately = new LRUCache<string, { readonly statement: Statement | undefined }, HostName>({
    max: MAX_UNPROBED,
    ttl: UNPROBED_MS,
    fetchMethod: async (_name, _stale, { context }) => ({ statement: await this.unprobed(context) }),
  });
  private readonly known = new WeakMap<CachedReport, Map<StatementForm, Statement>>();
  /**
   * Statements by their input. Concurrent readers, and readers after the report was read again, share one signature.
   */
  private readonly issued = new LRUCache<string, Statement, Issue>({
    max: MAX_ISSUED,
    fetchMethod: (_key, _stale, { context }) => this.issue(context),
  });

  constructor(private readonly deps: StatementsDeps) {}

  /**
   * The newest statement about a host, optionally without payment options. @throws {RequestError} 403 `opted_out`, 404
   * `host_not_probed` or `statement_expired`
   */
  async about(host: HostName, listing = false): Promise<Statement> {
    if (this.deps.optOuts.covers(host.ascii)) throw new RequestError('opted_out');
    const report = await this.deps.reports.stored(host);
    const known = this.inReport(report, listing, Date.now());
    if (known) return known;
    this.deps.reports.assertStorageAnswers();
    const stated = await this.ofReport(report, host, listing);
    const statement = stated ?? (await this.unprobedLately.fetch(host.ascii, { context: host }))?.statement;
    if (!statement) throw new RequestError(report.statedAs ? 'statement_expired' : 'host_not_probed');
    return statement;
  }

  private async ofReport(report: CachedReport, host: HostName, listing: boolean): Promise<Statement | undefined> {
    const now = Date.now();
    const inReport = this.inReport(report, listing, now);
    if (inReport) return inReport;
    const form = formOf(report, listing, now);
    if (!form || !report.statedAs) return undefined;
    const { id, sha256, evidence } = report.statedAs;
    const key = [form, id, sha256, evidence?.root].join(' ');
    const context = { report, form, domain: host.ascii };
    const kept = await this.issued.fetch(key, { context });
    // The key may have been revoked since.
    const isRevoked = kept && !this.deps.keys.trusts(kept.kid);
    const statement = isRevoked ? await this.issued.fetch(key, { context, forceRefresh: true }) : kept;
    if (!statement) return undefined;
    const known = this.known.get(report) ?? new Map<StatementForm, Statement>();
    this.known.set(report, known.set(form, statement));
    return statement;
  }

  /** {@link about} for a host whose report and statement are cached. */
  inMemory(name: string): Statement | undefined {
    const report = this.deps.optOuts.covers(name) ? undefined : this.deps.reports.peek(name);
    return report && this.inReport(report, false, Date.now());
  }

  /**
   * Adds the statement about the sold report to a sale. The sale stays without one if no statement is valid or storage
   * does not answer.
   */
  async stated(sale: Sale): Promise<Sale> {
    const statement = sale.subject && (await this.ofSubject(sale.subject).catch(() => undefined));
    return { ...sale, ...defined({ statement }) };
  }

  /** Undefined if the host opted out, or a newer probe exists. */
  private async ofSubject({ domain, sha256 }: Subject): Promise<string | undefined> {
    const reading = HostName.parse(domain);
    if (!reading.ok || this.deps.optOuts.covers(domain)) return undefined;
    const report = await this.deps.reports.stored(reading.host, sha256);
    if (report.statedAs?.sha256 !== sha256) return undefined;
    return (await this.ofReport(report, reading.host, false))?.token;
  }

  private inReport(report: CachedReport, listing: boolean, now: number): Statement | undefined {
    const known = this.known.get(report);
    if (!known) return undefined;
    // A statement with payment options is the best form until it expires; then the report's clocks decide which form is
    // best.
    const best = listing ? undefined : known.get('payment');
    const isBest = best !== undefined && now < best.expiresAt;
    const form = isBest ? 'payment' : formOf(report, listing, now);
    const statement = form && known.get(form);
    return statement && this.deps.keys.trusts(statement.kid) ? statement : undefined;
  }

  /** Signs a statement after storing its report. */
  private async issue({ report, form, domain }: Issue): Promise<Statement | undefined> {
    const { stated } = report;
    const statement = stated && (await this.signed(membersOf(stated, form, this.deps.baseUrl)));
    if (!statement) return undefined;
    const { sha256, facts, evidence } = stated;
    await this.deps.rows.keepReport({
      ...{ sha256, domain, facts },
      ...(evidence && { evidenceRoot: evidence.root }),
      neededUntil: new Date(statement.expiresAt + KEPT_MS),
    });
    return statement;
  }

  /** The statement that we failed to probe the host, as long as this is the latest result. */
  private async unprobed(host: HostName): Promise<Statement | undefined> {
    const failed = await this.deps.rows.failedProbe(host.ascii);
    if (!failed) return undefined;
    const claims = unprobedMembers(failed, host.origin, this.deps.baseUrl);
    if (claims.exp * 1_000 <= Date.now()) return undefined;
    return this.signed(claims);
  }

  private async signed(claims: StatementMembers): Promise<Statement | undefined> {
    const key = (await this.deps.keys.ring()).at(claims.iat);
    if (!key) return undefined;
    const token = signJws(claims, 'hostprobe-report+jwt', key);
    return { token, kid: key.kid, etag: contentTag(token), expiresAt: claims.exp * 1_000 };
  }
}

/** The best form in which the report can be signed now, or the form without payment options. */
function formOf({ clocks }: CachedReport, listing: boolean, now: number): StatementForm | undefined {
  const best = formAt(clocks, now);
  if (!listing || best === 'listing') return best;
  return now < endOf('listing', clocks) * 1_000 ? 'listing' : undefined;
}
