import { within } from '@app/platform';
import { isConnectionError, type HostRepository, type Notices, type StoredReport } from '@app/storage';
import { type HostName } from '@app/hosts';
import { neverProbed, renderFacts } from '@app/reports';
import { LRUCache } from 'lru-cache';
import { CachedReport, KEPT_FRESH_MS } from './cached-report';
import { RequestError } from '../http/request-error';
import { BatchedReportReads } from './batched-report-reads';
import type { Readers } from './readers';
import type { ReportOffers } from './report-offers';

/** Memory for reports, in bytes: some two thousand of them, whatever hosts publish. */
const MAX_BYTES = 32 * 1_048_576;
/** Names that are remembered to have been asked for, and for how long. */
const MAX_NAMES = 10_000;
const ASKED_FOR_MS = 3_600_000;
/** A reader waits this long for storage when there is an older copy. */
const TIMEOUT_MS = 1_000;

/**
 * The read path: a hit is bytes, a miss one indexed row of a statement that all misses of a moment share. A report is
 * kept from the second time on that it is asked for within {@link ASKED_FOR_MS}: keeping those that are not asked for again
 * costs the garbage collector more than it saves. Dropped as soon as any worker writes the host. While storage does not
 * answer, a copy that is older than {@link KEPT_FRESH_MS} is served, with its age.
 */
export class ReportCache {
  private readonly entries = new LRUCache<string, CachedReport>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ weight }) => weight,
    ttl: KEPT_FRESH_MS, // backstop of the notices: a missed one is forgotten after this
    noDeleteOnStaleGet: true,
    perf: Date, // the clock of the age that is told
  });
  private readonly askedFor = new LRUCache<string, true>({ max: MAX_NAMES, ttl: ASKED_FOR_MS });
  /** Until when storage is not waited for, because it did not answer just now, on a clock that nobody sets. */
  private awayUntil = 0;
  private readonly reads: BatchedReportReads<CachedReport>;
  private readonly off: () => void;

  constructor(
    hosts: Pick<HostRepository, 'findReports'>,
    notices: Pick<Notices, 'on'>,
    private readonly offers: Pick<ReportOffers, 'refresh' | 'stored'>,
    private readonly readers: Pick<Readers, 'note'>,
  ) {
    this.reads = new BatchedReportReads(hosts, (host, stored) => this.made(host, stored));
    this.off = notices.on('host_changed', (domain) => this.entries.delete(domain));
  }

  /** What is in memory under a name as the caller wrote it; only vetted names are in it. */
  peek(name: string): CachedReport | undefined {
    return this.entries.get(name);
  }

  /** For a reader who was given an older copy and now needs storage: it was waited for already. @throws {RequestError} 503 `storage_unavailable` */
  assertStorageAnswers(): void {
    if (performance.now() < this.awayUntil) throw new RequestError('storage_unavailable');
  }

  /** {@link get}, read anew unless it is the one whose text has this hash. */
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

  /** What storage has, or the older copy while it does not answer. */
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
    // What is answered from memory was read from here seconds ago.
    if (report.isStored) this.readers.note(host.ascii);
    if (this.askedFor.get(host.ascii)) this.entries.set(host.ascii, report);
    else this.askedFor.set(host.ascii, true);
    return report;
  }

  private made(host: HostName, stored: StoredReport | undefined): CachedReport {
    const unknown = { version: 0, facts: renderFacts(neverProbed(host)), clocks: {} };
    return new CachedReport(stored ?? unknown, (text, len) => ({
      refresh: this.offers.refresh(host),
      ...(text && { report: this.offers.stored(host, text.sha256, len()) }),
    }));
  }

  close(): void {
    this.off();
    this.entries.clear();
  }
}
