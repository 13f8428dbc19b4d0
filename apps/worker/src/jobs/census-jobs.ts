import { TargetBusyError, type OptOuts } from '@app/limits';
import type { CensusRepository, CensusResult, CensusTask } from '@app/storage';
import type { CensusJob } from '@app/queue';
import { HostName } from '@app/hosts';
import type { JobDeps } from './job';
import { OutOfTimeError } from './host-too-slow';
import { probeCensusHost } from './probe-census-host';

/**
 * How often a host is tried. A host whose budget never suffices, or whose probe always crashes its worker, is then
 * given up.
 */
const MOST_TRIES = 50;
/** A host that this worker failed to probe is tried again after this time, in seconds. */
const LATER_SEC = 60;
/** Results are stored in batches of this size, or after this many milliseconds, because a transaction costs as much as a probe. */
const STORED_AT_ONCE = 50;
const STORED_AFTER_MS = 2_000;

/**
 * Probes census hosts, with the lowest priority of all free work. If a worker crashes or the database is down, unstored
 * results are lost and the hosts are probed again.
 */
export class CensusJobs {
  private stopping = false;
  private results: CensusResult[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly rows: CensusRepository,
    private readonly jobs: JobDeps,
    private readonly optOuts: Pick<OptOuts, 'covers'>,
    /** Called when results could not be stored. */
    private readonly failed: (error: unknown) => void,
  ) {}

  /** Finishes running hosts; waiting ones are postponed. */
  stop(): void {
    this.stopping = true;
  }

  /** Stores the remaining results. Call it after all hosts have finished, while the database is open. */
  async store(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    const results = this.results.splice(0);
    if (results.length > 0) await this.rows.end(results).catch(this.failed);
  }

  /** A job may arrive twice; a host with an outcome is not probed again. @throws if the database is unavailable */
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
