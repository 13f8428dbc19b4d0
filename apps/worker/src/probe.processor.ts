import { TargetBusyError, type OptOuts } from '@app/limits';
import type { Logger } from '@app/observability';
import type { RunKind, RunRepository } from '@app/persistence';
import type { ProbeJob } from '@app/queue';
import { HostName } from '@app/reports';
import { checkPayTo } from './jobs/check-payto';
import type { Job, JobParts } from './jobs/job';
import { probeEndpoint } from './jobs/probe-endpoint';
import { probeHost } from './jobs/probe-host';
import { probePresence } from './jobs/probe-presence';
import { probeProtocol } from './jobs/probe-protocol';

const JOBS: { readonly [Kind in RunKind]: Job<Kind> } = {
  host: probeHost,
  presence: probePresence,
  protocol: probeProtocol,
  endpoint_health: probeEndpoint,
  payto_check: checkPayTo,
};

/** Kept back from a run's deadline to judge and store: better a cut look than an answer nobody waits for. */
const STORING_MS = 2_000;

/** Takes jobs off the queue. A job may come twice (a worker died); the run row decides whether there is work to do. */
export class ProbeProcessor {
  constructor(
    private readonly runs: RunRepository,
    private readonly parts: JobParts,
    private readonly optOuts: OptOuts,
    private readonly logger: Logger,
  ) {}

  /** @throws only for bugs of ours, after the waiting caller was told that the look failed. */
  async process({ runId }: ProbeJob): Promise<void> {
    const run = await this.runs.begin(runId);
    if (!run) return;
    if (this.optOuts.covers(run.domain)) {
      await this.runs.fail(runId, 'opted_out');
      return;
    }
    const started = performance.now();
    try {
      const host = HostName.parse(run.domain);
      if (!host.ok) throw new Error(`a run names ${run.domain}, which is no host name`);
      const job = JOBS[run.kind] as Job; // the run is of the kind it names
      await job(this.parts, run, host.host, run.deadlineAt.getTime() - Date.now() - STORING_MS);
      this.logger.info(
        { runId, kind: run.kind, domain: run.domain, ms: Math.round(performance.now() - started) },
        'look done',
      );
    } catch (error) {
      if (error instanceof TargetBusyError) {
        await this.runs.fail(runId, error.code);
        this.logger.info({ runId, domain: run.domain }, 'look given up: the host may not be asked more');
        return;
      }
      await this.runs.fail(runId, 'worker_failed');
      throw error;
    }
  }
}
