import type { HostRepository, Notices, StoredReport } from '@app/persistence';
import { neverProbed, renderFacts, type HostName } from '@app/reports';
import { LRUCache } from 'lru-cache';

/** Reports kept in memory; a report is a few kilobytes. */
const MAX_ENTRIES = 5_000;
/** Backstop of the notices: a missed one is forgotten after this. */
const TTL_MS = 5_000;

/** One stored report with its rendered variants, few as flags go stale in a fixed order and opt-outs are rare. */
export class CachedReport implements StoredReport {
  readonly version: number;
  readonly facts: string;
  readonly clocks: StoredReport['clocks'];
  private readonly variants = new Map<number, string>();

  constructor(report: StoredReport) {
    this.version = report.version;
    this.facts = report.facts;
    this.clocks = report.clocks;
  }

  /** The body for a combination of flags, rendered once. */
  body(flags: number, render: () => string): string {
    const known = this.variants.get(flags);
    if (known !== undefined) return known;
    const body = render();
    this.variants.set(flags, body);
    return body;
  }
}

/** The read path: a hit is a string, a miss one indexed row. Dropped as soon as any worker writes the host. */
export class ReportCache {
  private readonly entries = new LRUCache<string, CachedReport>({ max: MAX_ENTRIES, ttl: TTL_MS });
  private readonly off: () => void;

  constructor(
    private readonly hosts: HostRepository,
    notices: Notices,
  ) {
    this.off = notices.on('host_changed', (domain) => this.entries.delete(domain));
  }

  async get(host: HostName): Promise<CachedReport> {
    const hit = this.entries.get(host.ascii);
    if (hit) return hit;
    const stored = await this.hosts.findReport(host.ascii);
    const report = new CachedReport(stored ?? { version: 0, facts: renderFacts(neverProbed(host)), clocks: {} });
    this.entries.set(host.ascii, report);
    return report;
  }

  close(): void {
    this.off();
    this.entries.clear();
  }
}
