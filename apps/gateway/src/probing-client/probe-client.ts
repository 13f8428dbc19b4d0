import { TargetBusyError } from '@app/limits';
import { requestId, type Logger } from '@app/platform';
import {
  readRunNotice,
  type NextNotice,
  type Notices,
  type HeartbeatRepository,
  type RunRepository,
  type StoredRun,
} from '@app/storage';
import { enqueueRun, orderOf, outcomeOf, type ProbeProducer, type RunOutcome, type RunRequest } from '@app/queue';
import { RequestError } from '../http/request-error';
import { HostTooSlowError, OptedOutError, ProbeFailedError, ProbeTimeoutError } from './probe-errors';
import type { TargetAdmission } from './target-admission';

/**
 * A notification can get lost (with its connection), so the row is also read after these times and then every second.
 */
const POLLS_MS = [250, 750] as const;
const LAST_POLL_MS = 1_000;

/**
 * The maximum age of the data behind an admission. Querying the database for every unpaid request would be wasteful.
 */
const ADMISSION_MAX_AGE_MS = 100;

/**
 * How many runs one worker slot completes while a buyer waits, on average. Hosts rarely take a fifth of the deadline.
 */
const RUNS_PER_SLOT = 5;

export interface ProbeClientDeps {
  readonly runs: RunRepository;
  readonly heartbeats: HeartbeatRepository;
  readonly producer: ProbeProducer;
  readonly notices: Notices;
  readonly targets: TargetAdmission;
  readonly logger: Logger;
  /** Called when the queue or its counters cannot be reached. */
  readonly failed: (error: unknown) => void;
  /** How long callers wait for a probe. */
  readonly deadlineMs: number;
}

/**
 * Starts probes of hosts: it inserts a row in Postgres, puts its id in the queue, and reads the row again when the run
 * is done. Callers that request the same subject at the same time share one run.
 */
export class ProbeClient {
  private admission: { at: number; state: Promise<'open' | 'no_worker' | 'busy'> } | undefined;

  constructor(private readonly deps: ProbeClientDeps) {}

  /**
   * Checks, before money is requested, that the probes can be made.
   * @param together how many probes of possibly neighboring hosts start at once, when they are admitted one by one
   * @throws {RequestError} no worker could serve within the deadline, or the shared counters are unavailable;
   * {OptedOutError} and {TargetBusyError} the host must not be probed at all, or not now
   */
  async admit(probes: readonly RunRequest[], together = 1): Promise<void> {
    const now = Date.now();
    if (!this.admission || now - this.admission.at > ADMISSION_MAX_AGE_MS) {
      this.admission = { at: now, state: this.assess() };
      this.admission.state.catch(() => (this.admission = undefined)); // the callers handle the error
    }
    const state = await this.admission.state;
    if (state !== 'open') throw new RequestError(state);
    await Promise.all(probes.map((probe) => this.admitTarget(probe, together)));
  }

  /** The checks of {@link admit} that concern the host. */
  async admitTarget(probe: RunRequest, together = 1): Promise<void> {
    await this.deps.targets.admit(probe, together).catch(this.refuseForTarget);
  }

  /**
   * Starts a probe, or joins the running one, and waits for its outcome.
   * @param begun receives the id of the run before it ends
   * @throws {RequestError} the queue is unavailable; {ProbeTimeoutError} the deadline passed; {ProbeFailedError} the
   * service failed; {RequestError} `storage_unavailable` the probe could not be stored; {TargetBusyError},
   * {OptedOutError} and {HostTooSlowError} the host turned out not to be available for a probe
   */
  async run<Request extends RunRequest>(
    request: Request,
    begun?: (runId: string) => void,
  ): Promise<RunOutcome<Request['kind']>> {
    const { runs, targets, deadlineMs } = this.deps;
    await targets.requireQuick(request).catch(this.refuseForTarget);
    const { run, fresh } = await runs.open(orderOf(request), new Date(Date.now() + deadlineMs));
    this.deps.logger.info(
      { runId: run.id, kind: run.kind, domain: run.domain },
      fresh ? 'probe asked for' : 'probe joined',
    );
    // We listen before a new run can end. A run that was joined is first read at once.
    const noticed = this.nextNotice(run.id, fresh ? POLLS_MS[0] : 0);
    if (fresh) await this.enqueue(request, run).catch(cancelling(noticed));
    begun?.(run.id);
    const ended = await this.ended(run, Date.now() + deadlineMs, noticed);
    if (!ended || ended.status === 'expired') throw new ProbeTimeoutError(run.id);
    if (ended.failure === 'target_busy') throw await this.deps.targets.busyError(request);
    if (ended.failure === 'host_too_slow') throw await this.deps.targets.tooSlowError(request);
    if (ended.failure === 'opted_out') throw new OptedOutError(ended.domain);
    if (ended.failure === 'storage_unavailable') throw new RequestError('storage_unavailable');
    if (ended.status === 'failed') throw new ProbeFailedError(ended.failure ?? 'unknown');
    return outcomeOf<Request['kind']>(request.kind, ended.outcome);
  }

  /**
   * Starts a probe without waiting for it, or joins the running one.
   * @param count called before a new probe starts; if it throws, the request fails
   * @throws {RequestError} the queue is unavailable; {TargetBusyError}, {OptedOutError} and {HostTooSlowError}
   */
  async begin(request: RunRequest, count: () => Promise<void>): Promise<StoredRun> {
    const { runs, deadlineMs } = this.deps;
    const order = orderOf(request);
    await this.admitTarget(request);
    const underWay = await runs.underWay(order.subject);
    if (underWay) return underWay;
    await count();
    const { run, fresh } = await runs.open(order, new Date(Date.now() + deadlineMs));
    if (fresh) await this.enqueue(request, run);
    return run;
  }

  /** Waits for the end of a run; undefined when it is not over in time. */
  end(run: StoredRun, waitMs: number): Promise<StoredRun | undefined> {
    return this.ended(run, Date.now() + waitMs, this.nextNotice(run.id, 0));
  }

  private enqueue(request: RunRequest, run: StoredRun): Promise<void> {
    const { runs, producer, targets } = this.deps;
    const count = () => targets.begin(request);
    return enqueueRun({ count, producer, runs }, run, requestId()).catch(this.refuseForTarget);
  }

  private async ended(opened: StoredRun, until: number, first: NextNotice): Promise<StoredRun | undefined> {
    const { id } = opened;
    let noticed = first;
    for (let poll = 0; ; poll += 1) {
      const { outcome } = readRunNotice((await noticed.promise) ?? '');
      if (outcome !== undefined) return { ...opened, status: 'done', outcome: JSON.parse(outcome) as unknown };
      // We listen again before reading the row, so that no notification is missed.
      noticed = this.nextNotice(id, Math.min(POLLS_MS[poll] ?? LAST_POLL_MS, until - Date.now()));
      const run = await this.deps.runs.find(id).catch(cancelling(noticed));
      const ended = run && run.status !== 'queued' && run.status !== 'running';
      if (ended || Date.now() >= until) {
        noticed.cancel();
        return ended ? run : undefined;
      }
    }
  }

  private nextNotice(id: string, timeoutMs: number): NextNotice {
    return this.deps.notices.next('run_finished', timeoutMs, (payload) => readRunNotice(payload).runId === id);
  }

  /** If the error is not about the host, it concerns the counters or the queue, which share one store. */
  private readonly refuseForTarget = (error: unknown): never => {
    if (error instanceof TargetBusyError || error instanceof OptedOutError || error instanceof HostTooSlowError)
      throw error;
    this.deps.failed(error);
    throw new RequestError('queue_unavailable');
  };

  private async assess(): Promise<'open' | 'no_worker' | 'busy'> {
    const [capacity, waiting] = await Promise.all([this.deps.heartbeats.capacity(), this.deps.runs.waiting('live')]);
    if (capacity === 0) return 'no_worker';
    return waiting >= capacity * RUNS_PER_SLOT ? 'busy' : 'open';
  }
}

/** Stops listening if the run did not start or could not be read. */
function cancelling(noticed: NextNotice): (error: unknown) => never {
  return (error) => {
    noticed.cancel();
    throw error;
  };
}
