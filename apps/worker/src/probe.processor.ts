import { TargetBusyError, type OptOuts } from '@app/limits';
import type { Logger } from '@app/observability';
import type { Run, RunKind, RunRepository } from '@app/persistence';
import type { ProbeJob } from '@app/queue';
import { HostName } from '@app/reports';
import { checkPayTo } from './jobs/check-payto';
import type { Job, JobParts } from './jobs/job';
import { probeEndpoint } from './jobs/probe-endpoint';
import { probeHost } from './jobs/probe-host';
import { probePresence } from './jobs/probe-presence';
import { probeProtocol } from './jobs/probe-protocol';
import type { LookOutcome, WorkerMetrics } from './metrics/worker-metrics';
import { OutOfTimeError } from './timely-prober';

const JOBS: { readonly [Kind in RunKind]: Job<Kind> } = {
  host: probeHost,
  presence: probePresence,
  protocol: probeProtocol,
  endpoint_health: probeEndpoint,
  payto_check: checkPayTo,
};

/** Kept back from a run's deadline to judge and store: better a cut look than an answer nobody waits for. */
const STORING_MS = 2_000;

export interface ProbeProcessorParts {
  readonly runs: RunRepository;
  readonly jobs: JobParts;
  readonly optOuts: OptOuts;
  readonly metrics: Pick<WorkerMetrics, 'lookBegan' | 'lookEnded'>;
  readonly logger: Logger;
}

/** Takes jobs off the queue. A job may come twice (a worker died); the run row decides whether there is work to do. */
export class ProbeProcessor {
  constructor(private readonly parts: ProbeProcessorParts) {}

  /** @throws only for bugs of ours, after the waiting caller was told that the look failed. */
  async process({ runId, requestId }: ProbeJob): Promise<void> {
    const { runs, metrics, logger } = this.parts;
    const run = await runs.begin(runId);
    if (!run) return;
    const started = performance.now();
    metrics.lookBegan();
    let outcome: LookOutcome = 'failed';
    try {
      outcome = await this.look(run);
    } catch (error) {
      await runs.fail(runId, 'worker_failed');
      throw error;
    } finally {
      const ms = Math.round(performance.now() - started);
      metrics.lookEnded(run.kind, outcome, ms);
      // Named here instead of run under `withRequestId`, whose context costs every promise of a look something.
      logger.info(
        { requestId: requestId ?? runId, runId, kind: run.kind, domain: run.domain, outcome, ms },
        'look ended',
      );
    }
  }

  /** @throws for bugs of ours */
  private async look(run: Run): Promise<LookOutcome> {
    const { runs, jobs, optOuts } = this.parts;
    if (optOuts.covers(run.domain)) {
      await runs.fail(run.id, 'opted_out');
      return 'opted_out';
    }
    const host = HostName.parse(run.domain);
    if (!host.ok) throw new Error(`a run names ${run.domain}, which is no host name`);
    const job = JOBS[run.kind] as Job; // the run is of the kind it names
    try {
      await job(jobs, run, host.host, run.deadlineAt.getTime() - Date.now() - STORING_MS);
      return 'done';
    } catch (error) {
      if (!(error instanceof TargetBusyError || error instanceof OutOfTimeError)) throw error;
      await runs.fail(run.id, error.code);
      return error instanceof TargetBusyError ? 'target_busy' : 'failed';
    }
  }
}
