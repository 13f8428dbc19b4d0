import { TargetBusyError, type OptOuts } from '@app/limits';
import { traced, type Logger } from '@app/platform';
import { FREE_RUNS, isConnectionError, type RunRepository, type StoredRun } from '@app/storage';
import { readRun, type ProbeJob, type RunKind } from '@app/queue';
import { checkClaim } from './jobs/check-claim';
import { HostTooSlowError, OutOfTimeError } from './jobs/host-too-slow';
import type { Job, JobDeps } from './jobs/job';
import { probeHost } from './jobs/probe-host';
import { PART_JOBS } from './jobs/probe-part';
import { probePresence } from './jobs/probe-presence';
import { ProgressPublisher } from './jobs/progress-publisher';
import { garbageCollector, IdleGc } from './idle-gc';
import type { ProbeOutcome, WorkerMetrics } from './jobs/worker-metrics';

const JOBS: { readonly [Kind in RunKind]: Job<Kind> } = {
  host: probeHost as Job<'host'>, // robots.txt does not end a paid probe
  presence: probePresence,
  watch: probeHost,
  claim_check: checkClaim,
  ...PART_JOBS,
};

/**
 * Time reserved before a run's deadline for evaluating and storing: an incomplete result is better than one that is too
 * late.
 */
const STORING_MS = 2_000;

/**
 * Processes jobs of the queue. A job may arrive twice after a worker crashed; the row of its run tells whether there is
 * work to do.
 */
export class ProbeProcessor {
  private readonly collectGarbage = garbageCollector();
  private readonly quiet = new IdleGc(() => {
    this.jobs.judging.renew();
    this.collectGarbage();
  });

  constructor(
    private readonly runs: RunRepository,
    private readonly jobs: JobDeps,
    private readonly optOuts: OptOuts,
    private readonly metrics: WorkerMetrics,
    private readonly logger: Logger,
  ) {}

  /** @throws only for bugs in this program, after the run was marked as failed for the waiting caller. */
  process(job: ProbeJob): Promise<void> {
    return this.quiet.after(() => this.run(job));
  }

  private async run({ runId, requestId, traceparent }: ProbeJob): Promise<void> {
    const run = await this.runs.begin(runId);
    if (!run) return;
    const named = { 'hostprobe.kind': run.kind, 'hostprobe.domain': run.domain };
    await traced('probe', named, () => this.measured(run, requestId ?? runId), traceparent);
  }

  private async measured(run: StoredRun, requestId: string): Promise<void> {
    const { metrics, logger } = this;
    const started = performance.now();
    const left = FREE_RUNS.includes(run.kind) ? undefined : this.jobs.share.besideBuyer();
    metrics.probeBegan();
    let outcome: ProbeOutcome = 'failed';
    try {
      outcome = await this.probe(run);
    } catch (error) {
      // The first error is the relevant one. If marking the run fails too, its deadline ends it.
      await this.fail(run, isConnectionError(error) ? 'storage_unavailable' : 'worker_failed').catch(
        (cause: unknown) => {
          logger.error({ err: cause, runId: run.id }, 'could not mark the run as failed');
        },
      );
      throw error;
    } finally {
      left?.();
      const ms = Math.round(performance.now() - started);
      metrics.probeEnded(run.kind, outcome, ms);
      // Passed here instead of through `workFor`, whose async context would slow down every promise of a probe.
      logger.info({ requestId, runId: run.id, kind: run.kind, domain: run.domain, outcome, ms }, 'probe finished');
    }
  }

  /** @throws for bugs in this program */
  private async probe(stored: StoredRun): Promise<ProbeOutcome> {
    const { runs, jobs, optOuts } = this;
    const run = readRun(stored);
    if (optOuts.covers(run.host.ascii)) {
      await runs.fail(run.id, 'opted_out');
      return 'opted_out';
    }
    const job = JOBS[run.kind] as Job; // its fields match its kind
    const progress = new ProgressPublisher((far) => runs.tell(run.id, far));
    try {
      const found = await job(jobs, run, stored.deadlineAt.getTime() - Date.now() - STORING_MS, progress);
      if (found !== undefined) await runs.finish(run.id, found);
      return 'done';
    } catch (error) {
      const tooSlow = error instanceof HostTooSlowError;
      if (!(tooSlow || error instanceof TargetBusyError || error instanceof OutOfTimeError)) throw error;
      await this.fail(stored, error.code);
      return error.code === 'budget_spent' ? 'failed' : error.code;
    } finally {
      progress.end();
    }
  }

  /** Ends a run that failed on our side; then it is unknown whether the host is up (behaviour 14.3). */
  private async fail({ id, kind, domain }: StoredRun, reason: string): Promise<void> {
    await this.runs.fail(id, reason);
    if (kind === 'host' || kind === 'presence' || kind === 'watch')
      await this.jobs.recorder.hosts.addUnknown(domain, new Date(), reason);
  }
}
