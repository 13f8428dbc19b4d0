import { TargetBusyError } from '@app/limits';
import { requestId, type Logger } from '@app/observability';
import {
  readRunNotice,
  type Notices,
  type PulseRepository,
  type Run,
  type RunRepository,
  type RunRequest,
} from '@app/persistence';
import { enqueueRun, type ProbeProducer } from '@app/queue';
import { OptedOutError, ProbeFailedError, ProbeTimeoutError, ProbesUnavailableError } from './probe-errors';
import type { TargetAdmission } from './target-admission';

/** A notice may be lost (a broken connection), the row never is: look again after these times, then every second. */
const POLLS_MS = [250, 750] as const;
const LAST_POLL_MS = 1_000;

/** What admission knows is this old at most; asking the database for every unpaid request would be waste. */
const ADMISSION_MAX_AGE_MS = 500;

/** Runs one worker slot gets through while a buyer waits, on average; hosts rarely take a fifth of the deadline. */
const RUNS_PER_SLOT = 5;

/**
 * Settles with the next notice about a run, when its time is over, or when nobody wants it any more. Its value is the
 * outcome as JSON text when the notice carried it.
 */
interface NextNotice {
  readonly promise: Promise<string | undefined>;
  readonly cancel: () => void;
}

export interface ProbeClientParts {
  readonly runs: RunRepository;
  readonly pulses: PulseRepository;
  readonly producer: ProbeProducer;
  readonly notices: Notices;
  readonly targets: TargetAdmission;
  readonly logger: Logger;
  /** How long a look may take before nobody waits any more. */
  readonly deadlineMs: number;
}

/**
 * The gateway's way to a look at a host: a row in Postgres, its id in the queue, and the row again when it is done.
 * Callers that ask for the same subject at once share one run.
 */
export class ProbeClient {
  private admission: { at: number; verdict: Promise<'open' | 'no_worker' | 'busy'> } | undefined;

  constructor(private readonly parts: ProbeClientParts) {}

  /**
   * Called before money is asked for, with the looks that will be made for it.
   * @throws {ProbesUnavailableError} no worker could serve within the deadline, or the shared counters are away;
   * {OptedOutError} and {TargetBusyError} a host must not be asked, or not now
   */
  async admit(looks: readonly RunRequest[]): Promise<void> {
    const now = Date.now();
    if (!this.admission || now - this.admission.at > ADMISSION_MAX_AGE_MS) {
      this.admission = { at: now, verdict: this.assess() };
      this.admission.verdict.catch(() => (this.admission = undefined));
    }
    const verdict = await this.admission.verdict;
    if (verdict !== 'open') throw new ProbesUnavailableError(verdict);
    await Promise.all(looks.map((look) => this.parts.targets.admit(look).catch(refuseForTarget)));
  }

  /**
   * Runs a look, or joins the one under way, and waits for its outcome.
   * @throws {ProbesUnavailableError} the queue is away; {ProbeTimeoutError} the deadline passed; {ProbeFailedError} we
   * failed; {TargetBusyError} and {OptedOutError} the host could not be asked after all
   */
  async run(request: RunRequest): Promise<Run> {
    const { runs, deadlineMs } = this.parts;
    const { run, fresh } = await runs.open(request, new Date(Date.now() + deadlineMs));
    this.parts.logger.info({ runId: run.id, kind: run.kind, domain: run.domain }, fresh ? 'look asked' : 'look joined');
    // Listening starts before a new run can end: it is read when a notice comes, one that was joined at once.
    const noticed = this.nextNotice(run.id, fresh ? POLLS_MS[0] : 0);
    if (fresh) await this.enqueue(run).catch(cancelling(noticed));
    const ended = await this.ended(run, Date.now() + deadlineMs, noticed);
    if (!ended || ended.status === 'expired') throw new ProbeTimeoutError(run.id);
    if (ended.failure === 'target_busy') throw await this.parts.targets.refusal(ended);
    if (ended.failure === 'opted_out') throw new OptedOutError(ended.domain);
    if (ended.status === 'failed') throw new ProbeFailedError(ended.failure ?? 'unknown');
    return ended;
  }

  private enqueue(run: Run): Promise<void> {
    const { runs, producer, targets } = this.parts;
    return enqueueRun({ budgets: targets, producer, runs }, run, requestId()).catch(refuseForTarget);
  }

  private async ended(opened: Run, until: number, first: NextNotice): Promise<Run | undefined> {
    const { id } = opened;
    let noticed = first;
    for (let look = 0; ; look += 1) {
      const outcome = await noticed.promise;
      if (outcome !== undefined) return { ...opened, status: 'done', outcome: JSON.parse(outcome) as unknown };
      // Listening goes on before the row is read, so that nothing falls between the two.
      noticed = this.nextNotice(id, Math.min(POLLS_MS[look] ?? LAST_POLL_MS, until - Date.now()));
      const run = await this.parts.runs.find(id).catch(cancelling(noticed));
      const ended = run && run.status !== 'queued' && run.status !== 'running';
      if (ended || Date.now() >= until) {
        noticed.cancel();
        return ended ? run : undefined;
      }
    }
  }

  private nextNotice(id: string, timeoutMs: number): NextNotice {
    let settle: (outcome?: string) => void = () => undefined;
    const promise = new Promise<string | undefined>((resolve) => {
      const off = this.parts.notices.on('run_finished', (payload) => {
        const { runId, outcome } = readRunNotice(payload);
        if (runId === id) settle(outcome);
      });
      const timer = setTimeout(
        () => {
          settle();
        },
        Math.max(0, timeoutMs),
      );
      settle = (outcome) => {
        clearTimeout(timer);
        off();
        resolve(outcome);
      };
    });
    return {
      promise,
      cancel: () => {
        settle();
      },
    };
  }

  private async assess(): Promise<'open' | 'no_worker' | 'busy'> {
    const [capacity, waiting] = await Promise.all([this.parts.pulses.capacity(), this.parts.runs.waiting('paid')]);
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

/** What is not about the host is about the shared parts: the counters and the queue live in one store. */
function refuseForTarget(error: unknown): never {
  if (error instanceof TargetBusyError || error instanceof OptedOutError) throw error;
  throw new ProbesUnavailableError('queue_away');
}
