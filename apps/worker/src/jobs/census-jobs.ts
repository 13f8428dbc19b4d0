import { TargetBusyError, type OptOuts } from '@app/limits';
import type { CensusRepository, CensusTask } from '@app/storage';
import type { CensusJob } from '@app/queue';
import { HostName } from '@app/reports';
import type { JobDeps } from './job';
import { OutOfTimeError } from './host-too-slow';
import { probeCensusHost } from './probe-census-host';

/** Times a host is taken: one whose budget never has room, or whose probe ends its worker each time, is given up then. */
const MOST_TRIES = 50;
/** A host that this worker failed to probe waits this long, in seconds. */
const LATER_SEC = 60;

/** Probes hosts of censuses, behind everything else that is free. */
export class CensusJobs {
  private stopping = false;

  constructor(
    private readonly rows: CensusRepository,
    private readonly jobs: JobDeps,
    private readonly optOuts: Pick<OptOuts, 'covers'>,
  ) {}

  /** Hosts under way are finished; those that wait for a place are left for later. */
  stop(): void {
    this.stopping = true;
  }

  /** A job may come twice: a host that has an outcome is not probed again. @throws when the database is out of reach */
  run(job: CensusJob): Promise<void> {
    return this.jobs.share.with(async () => {
      const task = this.stopping ? undefined : await this.rows.take(job);
      if (task) await this.probe(job, task);
    });
  }

  private async probe({ day, domain }: CensusJob, { depth, tries }: CensusTask): Promise<void> {
    const reading = HostName.parse(domain);
    if (!reading.ok || tries > MOST_TRIES) {
      await this.rows.end(day, domain, 'not_probed', null);
      return;
    }
    try {
      const { outcome, finding } = await probeCensusHost({ ...this.jobs, optOuts: this.optOuts }, reading.host, depth);
      await this.rows.end(day, domain, outcome, finding);
    } catch (error) {
      const busy = error instanceof TargetBusyError;
      await this.rows.putOff(day, domain, busy ? error.retryAfterSec : LATER_SEC);
      if (!busy && !(error instanceof OutOfTimeError)) throw error;
    }
  }
}
