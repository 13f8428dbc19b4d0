import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { OptOuts, TargetBudgets, TargetBusyError } from '@app/limits';
import { CensusRepository, type CensusTask } from '@app/storage';
import type { CensusJob } from '@app/queue';
import { HostName } from '@app/reports';
import { JobDeps } from './job';
import { OutOfTimeError } from './host-too-slow';
import { probeCensusHost } from './probe-census-host';

/** Times a host is taken: one whose budget never has room, or whose probe ends its worker each time, is given up then. */
const MOST_TRIES = 50;
/** A host that this worker failed to probe waits this long, in seconds. */
const LATER_SEC = 60;

/** What is limited, and who opted out. */
@Injectable()
export class CensusLimits {
  constructor(
    readonly budgets: TargetBudgets,
    readonly optOuts: OptOuts,
  ) {}
}

/** Probes hosts of censuses, behind everything else that is free. */
@Injectable()
export class CensusJobs implements OnModuleDestroy {
  private stopping = false;

  constructor(
    private readonly rows: CensusRepository,
    private readonly jobs: JobDeps,
    private readonly limits: CensusLimits,
  ) {}

  /** Hosts under way are finished; those that wait for a place are left for later. */
  onModuleDestroy(): void {
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
    const { prober, judging, share } = this.jobs;
    const { budgets, optOuts } = this.limits;
    try {
      const { outcome, finding } = await probeCensusHost(
        { prober, judging, budgets, optOuts, share },
        reading.host,
        depth,
      );
      await this.rows.end(day, domain, outcome, finding);
    } catch (error) {
      const busy = error instanceof TargetBusyError;
      await this.rows.putOff(day, domain, busy ? error.retryAfterSec : LATER_SEC);
      if (!busy && !(error instanceof OutOfTimeError)) throw error;
    }
  }
}
