import { within } from '@app/platform';
import { isConnectionError, type FoundHost, type HostRepository, type Notices } from '@app/storage';
import { type HostName } from '@app/hosts';
import { neverProbed, renderFacts } from '@app/reports';
import { LRUCache } from 'lru-cache';
import { CachedReport, KEPT_FRESH_MS } from './cached-report';
import { RequestError } from '../http/request-error';
import { BatchedReportReads } from './batched-report-reads';
import type { Readers } from './readers';
import type { ReportOffers } from './report-offers';

/** Memory for reports in bytes, enough for about two thousand of them. */
const MAX_BYTES = 32 * 1_048_576;
/** How many requested names are remembered, and for how long. */
const MAX_NAMES = 10_000;
const ASKED_FOR_MS = 3_600_000;
/** How long a reader waits for storage if there is an older copy. */
const TIMEOUT_MS = 1_000;

/**
 * The read path. A hit returns bytes; a miss reads one indexed row in a query shared with concurrent misses. A report
 * is cached from its second read within {@link ASKED_FOR_MS} on, because caching reports that are read once costs the
 * garbage collector more than it saves. An entry is dropped as soon as any worker writes the host. While storage does
 * not answer, copies older than {@link KEPT_FRESH_MS} are served, with their age.
 */
export class ReportCache {
  private readonly entries = new LRUCache<string, CachedReport>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ weight }) => weight,
    ttl: KEPT_FRESH_MS, // in case a notification is lost, entries expire after this
    noDeleteOnStaleGet: true,
    perf: Date, // the clock for the reported age
  });
  private readonly askedFor = new LRUCache<string, true>({ max: MAX_NAMES, ttl: ASKED_FOR_MS });
  /** Until when reads do not wait for storage, because it just failed to answer. Uses a monotonic clock. */
  private awayUntil = 0;
  private readonly reads: BatchedReportReads<CachedReport>;
  private readonly off: () => void;

  constructor(
    hosts: Pick<HostRepository, 'findReports'>,
    notices: Pick<Notices, 'on'>,
    private readonly offers: Pick<ReportOffers, 'refresh' | 'stored'>,
    private readonly readers: Pick<Readers, 'note'>,
  ) {
    this.reads = new BatchedReportReads(hosts, (host, found) => this.made(host, found));
    this.off = notices.on('host_changed', (domain) => this.entries.delete(domain));
  }

  /** The cached report for a name as the caller wrote it. Only valid names are in the cache. */
  peek(name: string): CachedReport | undefined {
    return this.entries.get(name);
  }

  /**
   * For a reader who got an older copy and now needs storage: it has already waited once. @throws {RequestError} 503
   * `storage_unavailable`
   */
  assertStorageAnswers(): void {
    if (performance.now() < this.awayUntil) throw new RequestError('storage_unavailable');
  }

  /** Like {@link get}, but reads again unless the text has this hash. */
  async holding(host: HostName, sha256: string): Promise<CachedReport> {
    const report = await this.get(host);
    return report.statedAs?.sha256 === sha256 ? report : this.read(host);
  }

  async get(host: HostName): Promise<CachedReport> {
    const hit = this.entries.get(host.ascii);
    if (hit) return hit;
    const older = this.entries.get(host.ascii, { allowStale: true });
    return older ? this.newer(host, older) : this.read(host);
  }

  /** The report from storage, or the older copy if storage does not answer. */
  private async newer(host: HostName, older: CachedReport): Promise<CachedReport> {
    if (performance.now() < this.awayUntil) return older;
    const reading = this.read(host).catch((error: unknown) => {
      if (isConnectionError(error)) return undefined;
      throw error;
    });
    const read = await within(TIMEOUT_MS, reading, () => undefined);
    if (read) return read;
    this.awayUntil = performance.now() + TIMEOUT_MS;
    return older;
  }

  private async read(host: HostName): Promise<CachedReport> {
    const report = await this.reads.find(host);
    // A cache hit was recorded here when it was read from storage, seconds ago.
    if (report.isStored) this.readers.note(host.ascii);
    if (this.askedFor.get(host.ascii)) this.entries.set(host.ascii, report);
    else this.askedFor.set(host.ascii, true);
    return report;
  }

  private made(host: HostName, found: FoundHost | undefined): CachedReport {
    const unknown = () => ({ version: 0, clocks: {}, ...found, facts: renderFacts(neverProbed(host)) });
    return new CachedReport(found?.facts === undefined ? unknown() : found, (text, len) => ({
      refresh: this.offers.refresh(host),
      ...(text && { report: this.offers.stored(host, text.sha256, len()) }),
    }));
  }

  close(): void {
    this.off();
    this.entries.clear();
  }
}
