import type { HostName } from '@app/hosts';
import { isConnectionError, type HostRepository, type StoredReport } from '@app/storage';

/** Rows of one statement, at most: a report may have hundreds of kilobytes, and an answer is held as a whole. */
const MAX_ROWS = 32;
/** Statements under way at once, of the ten connections that everything here shares. */
const MAX_STATEMENTS = 4;

interface Read<Made> {
  readonly host: HostName;
  readonly resolve: (report: Made) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Reads stored reports, several with one statement: under load a statement costs more than its row. No read waits for
 * others: a lone read is sent in the turn of the event loop that asks for it, and only what comes while enough
 * statements are under way waits for the end of one. A read never joins a statement that was sent before, so it sees
 * whatever was committed before it was asked for. Those that wait fail together while storage is away.
 */
export class BatchedReportReads<Made> {
  private readonly waiting: Read<Made>[] = [];
  private underWay = 0;
  private due = false;

  /** @param made from a row, once for all that share it; undefined for a host without one */
  constructor(
    private readonly hosts: Pick<HostRepository, 'findReports'>,
    private readonly made: (host: HostName, stored: StoredReport | undefined) => Made,
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
      // What waits would meet the same, a statement's limit later each time.
      const waiting = isConnectionError(error) ? this.waiting.splice(0) : [];
      for (const { reject } of [...reads, ...waiting]) reject(error);
    } finally {
      this.underWay -= 1;
      this.schedule();
    }
  }
}
