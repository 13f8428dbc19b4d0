import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { SHARDS } from '@app/census';
import type { Config } from '@app/config';
import { OptOuts, TargetBudgets, TargetBusyError } from '@app/limits';
import { Failures } from '@app/observability';
import { CensusRepository, type CensusTask } from '@app/persistence';
import { consumeCensus, queueConnection, type CensusJob } from '@app/queue';
import { HostName } from '@app/reports';
import { JobDeps } from '../jobs/job';
import { OutOfTimeError } from '../jobs/host-too-slow';
import { CONFIG } from '../connections/tokens';
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

/** Takes the work of censuses, where the operator gives this worker slots for it (`CENSUS_SLOTS`). */
@Injectable()
export class CensusIntake implements OnApplicationBootstrap, OnModuleDestroy {
  private consumer: { close(): Promise<void> } | undefined;
  private stopping = false;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    private readonly rows: CensusRepository,
    private readonly jobs: JobDeps,
    private readonly limits: CensusLimits,
    private readonly failures: Failures,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { redis, database, censusSlots } = this.config;
    if (censusSlots === 0) return;
    const connection = queueConnection(redis?.url ?? null, database.url);
    const onError = this.failures.of('census', 'census job failed', 'error');
    this.consumer = await consumeCensus(connection, SHARDS, (job) => this.run(job), onError);
  }

  /** Finishes the hosts under way; the rest of their slices stays for later. */
  async onModuleDestroy(): Promise<void> {
    this.stopping = true;
    await this.consumer?.close();
  }

  /** @throws when the database is out of reach; the rows say what is left */
  private async run(job: CensusJob): Promise<void> {
    const tasks = await this.rows.take(job);
    const onError = this.failures.of('census', 'census host failed', 'error');
    await Promise.all(
      tasks.map((task) =>
        this.jobs.share.with(() => (this.stopping ? Promise.resolve() : this.probe(job.day, task).catch(onError))),
      ),
    );
  }

  private async probe(day: string, { domain, depth, tries }: CensusTask): Promise<void> {
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
