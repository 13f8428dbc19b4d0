import { TargetBusyError, type OptOuts } from '@app/limits';
import type { CensusRepository, CensusResult, CensusTask } from '@app/storage';
import type { CensusJob } from '@app/queue';
import { HostName } from '@app/hosts';
import type { JobDeps } from './job';
import { OutOfTimeError } from './host-too-slow';
import { probeCensusHost } from './probe-census-host';

/** Times a host is taken: one whose budget never has room, or whose probe ends its worker each time, is given up then. */
const MOST_TRIES = 50;
/** A host that this worker failed to probe waits this long, in seconds. */
const LATER_SEC = 60;
/** Results are stored in batches of this size, or after this many milliseconds, because a transaction costs as much as a probe. */
const STORED_AT_ONCE = 50;
const STORED_AFTER_MS = 2_000;

/**
 * Probes hosts of censuses, behind everything else that is free. A result that a dead worker, or a database that is away, keeps
 * from being stored is lost: the host is taken again, from its row.
 */
export class CensusJobs {
  private stopping = false;
  private results: CensusResult[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly rows: CensusRepository,
    private readonly jobs: JobDeps,
    private readonly optOuts: Pick<OptOuts, 'covers'>,
    /** Told of results that were not stored. */
    private readonly failed: (error: unknown) => void,
  ) {}

  /** Hosts under way are finished; those that wait for a place are left for later. */
  stop(): void {
    this.stopping = true;
  }

  /** To be called when no host is under way any more, while the database is open. */
  async store(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const results = this.results.splice(0);
    if (results.length > 0) await this.rows.end(results).catch(this.failed);
  }

  /** A job may come twice: a host that has an outcome is not probed again. @throws when the database is out of reach */
  run(job: CensusJob): Promise<void> {
    return this.jobs.share.with(async () => {
      const task = this.stopping ? undefined : await this.rows.take(job);
      if (task) await this.probe(job, task);
    });
  }

  private async probe(job: CensusJob, { depth, tries }: CensusTask): Promise<void> {
    const reading = HostName.parse(job.domain);
    if (!reading.ok || tries > MOST_TRIES) {
      await this.end({ ...job, outcome: 'not_probed', finding: null });
      return;
    }
    try {
      const deps = { ...this.jobs, optOuts: this.optOuts };
      await this.end({ ...job, ...(await probeCensusHost(deps, reading.host, depth)) });
    } catch (error) {
      const busy = error instanceof TargetBusyError;
      await this.rows.putOff(job, busy ? error.retryAfterSec : LATER_SEC);
      if (!busy && !(error instanceof OutOfTimeError)) throw error;
    }
  }

  private async end(result: CensusResult): Promise<void> {
    this.results.push(result);
    if (this.results.length >= STORED_AT_ONCE) await this.store();
    else this.timer ??= setTimeout(() => void this.store(), STORED_AFTER_MS).unref();
  }
}
