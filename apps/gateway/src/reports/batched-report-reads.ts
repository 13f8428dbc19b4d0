import type { HostName } from '@app/hosts';
import { isConnectionError, type FoundHost, type HostRepository } from '@app/storage';

/** The maximum number of rows per query: a report may have hundreds of kilobytes, and a result is held as a whole. */
const MAX_ROWS = 32;
/** The maximum number of concurrent queries, out of the ten shared connections. */
const MAX_STATEMENTS = 4;

interface Read<Made> {
  readonly host: HostName;
  readonly resolve: (report: Made) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Reads several stored reports with one query, because under load a query costs more than its rows. A single read is
 * not delayed: it is sent in the same turn of the event loop, and reads only wait while the maximum number of queries
 * is running. A read never joins a query that was already sent, so it sees everything that was committed before it.
 * While storage is unavailable, all waiting reads fail together.
 */
export class BatchedReportReads<Made> {
  private readonly waiting: Read<Made>[] = [];
  private underWay = 0;
  private due = false;

  /** @param made converts a row, once for all reads that share it; undefined for a host of which nothing is known */
  constructor(
    private readonly hosts: Pick<HostRepository, 'findReports'>,
    private readonly made: (host: HostName, found: FoundHost | undefined) => Made,
  ) {}

  find(host: HostName): Promise<Made> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ host, resolve, reject });
      this.schedule();
    });
  }

  private schedule(): void {
    if (this.due || this.waiting.length === 0 || this.underWay >= MAX_STATEMENTS) return;
    this.due = true;
    setImmediate(() => {
      this.due = false;
      void this.send(this.waiting.splice(0, MAX_ROWS));
      this.schedule();
    });
  }

  private async send(reads: readonly Read<Made>[]): Promise<void> {
    this.underWay += 1;
    try {
      const hosts = new Map(reads.map(({ host }) => [host.ascii, host]));
      const rows = await this.hosts.findReports([...hosts.keys()]);
      const reports = new Map([...hosts].map(([domain, host]) => [domain, this.made(host, rows.get(domain))]));
      for (const { host, resolve } of reads) resolve(reports.get(host.ascii) as Made);
    } catch (error) {
      // Waiting reads would fail in the same way, each after another query timeout.
      const waiting = isConnectionError(error) ? this.waiting.splice(0) : [];
      for (const { reject } of [...reads, ...waiting]) reject(error);
    } finally {
      this.underWay -= 1;
      this.schedule();
    }
  }
}
