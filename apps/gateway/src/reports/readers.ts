import type { Failures } from '@app/platform';
import { ReaderRepository, type Database } from '@app/storage';
import { LRUCache } from 'lru-cache';

/** A host is remembered to have readers once in so long, in milliseconds: what rests on it counts in weeks. */
const NOTED_MS = 86_400_000;
const MAX_NOTED = 50_000;
/** Reads are written down together, this long after the first, in milliseconds. */
const WRITTEN_AFTER_MS = 5_000;
/** Hosts that wait to be written down; a reader beyond that is noted with the next read. */
const MAX_WAITING = 10_000;

/** Which hosts are read, written down behind the readers' backs: a read waits for nothing and costs one write a day. */
export class Readers {
  private readonly noted = new LRUCache<string, true>({ max: MAX_NOTED, ttl: NOTED_MS });
  private waiting = new Set<string>();
  private timer: NodeJS.Timeout | undefined;
  private readonly repository: ReaderRepository;
  private readonly failed: (error: unknown) => void;

  constructor(database: Database, failures: Failures) {
    this.repository = new ReaderRepository(database);
    this.failed = failures.of('readers', 'the readers of hosts could not be written down');
  }

  note(domain: string): void {
    if (this.noted.has(domain) || this.waiting.size >= MAX_WAITING) return;
    this.noted.set(domain, true);
    this.waiting.add(domain);
    this.timer ??= setTimeout(() => void this.write(), WRITTEN_AFTER_MS).unref();
  }

  /** Writes down what waits. */
  async write(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const domains = [...this.waiting];
    this.waiting = new Set();
    if (domains.length > 0) await this.repository.read(domains).catch(this.failed);
  }
}
