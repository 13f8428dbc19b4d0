import type { HostRepository, Notices } from '@app/persistence';
import { neverProbed, renderFacts, type HostName, type RefreshOffer } from '@app/reports';
import { LRUCache } from 'lru-cache';
import { CachedReport } from './cached-report';
import { JointReads } from './joint-reads';

/** Memory for reports, in octets: some two thousand of them, whatever hosts publish. */
const MAX_BYTES = 32 * 1_048_576;
/** Backstop of the notices: a missed one is forgotten after this. */
const TTL_MS = 5_000;
/** Names that are remembered to have been asked for. */
const MAX_NAMES = 10_000;

/**
 * The read path: a hit is octets, a miss one indexed row of a statement that all misses of a moment share. A report is
 * kept from the second time on that it is asked for within {@link TTL_MS}: keeping those that nobody asks for again costs
 * the collector of garbage more than it saves. Dropped as soon as any worker writes the host.
 */
export class ReportCache {
  private readonly entries = new LRUCache<string, CachedReport>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ weight }) => weight,
    ttl: TTL_MS,
  });
  private readonly askedFor = new LRUCache<string, true>({ max: MAX_NAMES, ttl: TTL_MS });
  private readonly reads: JointReads;
  private readonly off: () => void;

  constructor(
    hosts: Pick<HostRepository, 'findReports'>,
    notices: Pick<Notices, 'on'>,
    private readonly offer: (host: HostName) => RefreshOffer,
  ) {
    this.reads = new JointReads(hosts);
    this.off = notices.on('host_changed', (domain) => this.entries.delete(domain));
  }

  /** What is in memory under a name as it was written by whoever asks; only names that are vetted are. */
  peek(name: string): CachedReport | undefined {
    return this.entries.get(name);
  }

  async get(host: HostName): Promise<CachedReport> {
    const hit = this.entries.get(host.ascii);
    if (hit) return hit;
    const stored = await this.reads.find(host.ascii);
    const report = CachedReport.of(stored ?? { version: 0, facts: renderFacts(neverProbed(host)), clocks: {} }, () =>
      this.offer(host),
    );
    if (this.askedFor.get(host.ascii)) this.entries.set(host.ascii, report);
    else this.askedFor.set(host.ascii, true);
    return report;
  }

  close(): void {
    this.off();
    this.entries.clear();
  }
}
