import type { Failures } from '@app/platform';
import { ReaderRepository, type Database } from '@app/storage';
import { LRUCache } from 'lru-cache';

/** A reader of a host is recorded at most once in this time, in milliseconds; the rules that use it count in weeks. */
const NOTED_MS = 86_400_000;
const MAX_NOTED = 50_000;
/** Reads are written in batches, this long after the first one, in milliseconds. */
const WRITTEN_AFTER_MS = 5_000;
/** The maximum number of unwritten hosts. Further readers are recorded with their next read. */
const MAX_WAITING = 10_000;

/** Records which hosts have readers, in the background: a read waits for nothing and causes at most one write a day. */
export class Readers {
  private readonly noted = new LRUCache<string, true>({ max: MAX_NOTED, ttl: NOTED_MS });
  private waiting = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private readonly repository: ReaderRepository;
  private readonly failed: (error: unknown) => void;

  constructor(database: Database, failures: Failures) {
    this.repository = new ReaderRepository(database);
    this.failed = failures.of('readers', 'could not record the readers of hosts');
  }

  note(domain: string): void {
    if (this.noted.has(domain) || this.waiting.size >= MAX_WAITING) return;
    this.noted.set(domain, true);
    this.waiting.add(domain);
    this.timer ??= setTimeout(() => void this.write(), WRITTEN_AFTER_MS).unref();
  }

  /** Writes the pending reads. */
  async write(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const domains = [...this.waiting];
    this.waiting = new Set();
    if (domains.length > 0) await this.repository.read(domains).catch(this.failed);
  }
}
