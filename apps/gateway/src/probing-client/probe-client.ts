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

/** A notice may be lost (a broken connection), the row never is: read it again after these times, then every second. */
const POLLS_MS = [250, 750] as const;
const LAST_POLL_MS = 1_000;

/** What admission knows is this old at most; asking the database for every unpaid request would be waste. */
const ADMISSION_MAX_AGE_MS = 100;

/** Runs one worker slot gets through while a buyer waits, on average; hosts rarely take a fifth of the deadline. */
const RUNS_PER_SLOT = 5;

export interface ProbeClientDeps {
  readonly runs: RunRepository;
  readonly heartbeats: HeartbeatRepository;
  readonly producer: ProbeProducer;
  readonly notices: Notices;
  readonly targets: TargetAdmission;
  readonly logger: Logger;
  /** Told why the queue, or the counters beside it, could not be asked. */
  readonly failed: (error: unknown) => void;
  /** How long a probe may take before its callers stop waiting. */
  readonly deadlineMs: number;
}

/**
 * The gateway's way to a probe of a host: a row in Postgres, its id in the queue, and the row again when it is done.
 * Callers that ask for the same subject at once share one run.
 */
export class ProbeClient {
  private admission: { at: number; state: Promise<'open' | 'no_worker' | 'busy'> } | undefined;

  constructor(private readonly deps: ProbeClientDeps) {}

  /**
   * Called before money is asked for, with the probes that will be made for it.
   * @param together so many probes that may be neighbors begin at once, where they are admitted one by one
   * @throws {RequestError} no worker could serve within the deadline, or the shared counters are away;
   * {OptedOutError} and {TargetBusyError} a host must not be asked, or not now
   */
  async admit(probes: readonly RunRequest[], together = 1): Promise<void> {
    const now = Date.now();
    if (!this.admission || now - this.admission.at > ADMISSION_MAX_AGE_MS) {
      this.admission = { at: now, state: this.assess() };
      this.admission.state.catch(() => (this.admission = undefined)); // its callers get the error
    }
    const state = await this.admission.state;
    if (state !== 'open') throw new RequestError(state);
    await Promise.all(probes.map((probe) => this.admitTarget(probe, together)));
  }

  /** The part of {@link admit} that is about the host. */
  async admitTarget(probe: RunRequest, together = 1): Promise<void> {
    await this.deps.targets.admit(probe, together).catch(this.refuseForTarget);
  }

  /**
   * Runs a probe, or joins the one under way, and waits for its outcome.
   * @throws {RequestError} the queue is away; {ProbeTimeoutError} the deadline passed; {ProbeFailedError} the
   * service failed; {RequestError} `storage_unavailable` the probe could not be stored; {TargetBusyError}, {OptedOutError} and
   * {HostTooSlowError} the host could not be asked after all
   */
  async run<Request extends RunRequest>(request: Request): Promise<RunOutcome<Request['kind']>> {
    const { runs, targets, deadlineMs } = this.deps;
    await targets.requireQuick(request).catch(this.refuseForTarget);
    const { run, fresh } = await runs.open(orderOf(request), new Date(Date.now() + deadlineMs));
    this.deps.logger.info(
      { runId: run.id, kind: run.kind, domain: run.domain },
      fresh ? 'probe asked for' : 'probe joined',
    );
    // Listening starts before a new run can end: it is read when a notice comes, one that was joined at once.
    const noticed = this.nextNotice(run.id, fresh ? POLLS_MS[0] : 0);
    if (fresh) await this.enqueue(request, run).catch(cancelling(noticed));
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
   * Begins a probe that its caller does not wait for, or joins the one under way.
   * @param count called before a new one begins; what it throws ends the request
   * @throws {RequestError} the queue is away; {TargetBusyError}, {OptedOutError} and {HostTooSlowError}
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
      // Listening goes on before the row is read, so that nothing falls between the two.
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

  /** An error that is not about the host is about the counters or the queue, which live in one store. */
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

/** Stops listening when what was listened for did not begin, or could not be read. */
function cancelling(noticed: NextNotice): (error: unknown) => never {
  return (error) => {
    noticed.cancel();
    throw error;
  };
}
