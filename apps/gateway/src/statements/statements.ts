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

/** A signed statement, and until when it holds, in milliseconds since 1970. */
export interface Statement {
  readonly token: string;
  /** The key it is signed with. */
  readonly kid: string;
  readonly etag: string;
  readonly expiresAt: number;
}

/** A report stays at its address for so long beyond the last statement that names it, in milliseconds. */
const KEPT_MS = 30 * 86_400_000;

/** Statements that are kept when their report is read anew, some two kilobytes each. */
const MAX_ISSUED = 5_000;

/** Hosts without a report that can be stated: remembered for so long, in milliseconds, and so many. */
const UNPROBED_MS = 15_000;
const MAX_UNPROBED = 5_000;

/** What is to be stated. */
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
 * Statements about hosts: signed when the first reader asks, and the same text from every gateway, since nothing in them
 * depends on when that is. A statement is given out after its report was kept.
 */
export class Statements {
  private readonly unprobedLately = new LRUCache<string, { readonly statement: Statement | undefined }, HostName>({
    max: MAX_UNPROBED,
    ttl: UNPROBED_MS,
    fetchMethod: async (_name, _stale, { context }) => ({ statement: await this.unprobed(context) }),
  });
  private readonly known = new WeakMap<CachedReport, Map<StatementForm, Statement>>();
  /** By what makes a statement what it is; those who ask at once, and after the report was read anew, share one signature. */
  private readonly issued = new LRUCache<string, Statement, Issue>({
    max: MAX_ISSUED,
    fetchMethod: (_key, _stale, { context }) => this.issue(context),
  });

  constructor(private readonly deps: StatementsDeps) {}

  /** The newest statement about a host, or the one without payment options. @throws {RequestError} 403 `opted_out`, 404 `host_not_probed` or `statement_expired` */
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
    // Its key may have been revoked since.
    const isRevoked = kept && !this.deps.keys.trusts(kept.kid);
    const statement = isRevoked ? await this.issued.fetch(key, { context, forceRefresh: true }) : kept;
    if (!statement) return undefined;
    const known = this.known.get(report) ?? new Map<StatementForm, Statement>();
    this.known.set(report, known.set(form, statement));
    return statement;
  }

  /** {@link about} for the name of a host whose report and statement are in memory. */
  inMemory(name: string): Statement | undefined {
    const report = this.deps.optOuts.covers(name) ? undefined : this.deps.reports.peek(name);
    return report && this.inReport(report, false, Date.now());
  }

  /** A sale with the statement about the report that it shows; without one when none holds, or storage does not answer. */
  async stated(sale: Sale): Promise<Sale> {
    const statement = sale.subject && (await this.ofSubject(sale.subject).catch(() => undefined));
    return { ...sale, ...defined({ statement }) };
  }

  /** Undefined when the host opted out, or another probe came since. */
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
    // One with payment options is the best until it ends; which form is best then, the clocks of the report say.
    const best = listing ? undefined : known.get('payment');
    const isBest = best !== undefined && now < best.expiresAt;
    const form = isBest ? 'payment' : formOf(report, listing, now);
    const statement = form && known.get(form);
    return statement && this.deps.keys.trusts(statement.kid) ? statement : undefined;
  }

  /** Signs a statement, and keeps its report before it is given out. */
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

  /** That the service failed to probe the host, as long as that is the last that is known. */
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

/** The form that a report can be stated in now, at best or without payment options. */
function formOf({ clocks }: CachedReport, listing: boolean, now: number): StatementForm | undefined {
  const best = formAt(clocks, now);
  if (!listing || best === 'listing') return best;
  return now < endOf('listing', clocks) * 1_000 ? 'listing' : undefined;
}
