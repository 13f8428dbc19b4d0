import { OptOuts, TargetBudgets, TargetBusyError } from '@app/limits';
import { RunRepository } from '@app/storage';
import { orderOf, potOf, requestsIn, type RunRequest } from '@app/queue';
import { LRUCache } from 'lru-cache';
import { HostTooSlowError, OptedOutError } from './probe-errors';

/** The maximum age of the counters: many unpaid requests for one host read them once. */
const MAX_AGE_MS = 100;
const MAX_ENTRIES = 5_000;

/** How long a host must not be probed, in milliseconds; 0 means it may be. */
interface TargetWaits {
  /** Until its budgets allow all requests of the probe. */
  readonly budgetMs: number;
  /** Until the pause after a probe that was too slow is over. */
  readonly slowMs: number;
}

/** Checks whether a host may be probed now (behaviour 12.3). */
export class TargetAdmission {
  private readonly waits = new LRUCache<string, Promise<TargetWaits>>({ max: MAX_ENTRIES, ttl: MAX_AGE_MS });

  constructor(
    private readonly budgets: TargetBudgets,
    private readonly optOuts: OptOuts,
    private readonly runs: RunRepository,
  ) {}

  /**
   * Called before money is requested. A host without budget is still admitted while a probe of the same subject is
   * running, because the buyer will share that one.
   * @param together how many probes of possibly neighboring hosts start at once
   * @throws {OptedOutError} | {HostTooSlowError} | {TargetBusyError}
   */
  async admit(probe: RunRequest, together: number): Promise<void> {
    if (this.optOuts.covers(probe.host.ascii)) throw new OptedOutError(probe.host.ascii);
    const { slowMs, budgetMs } = await this.waitsOf(probe, together);
    refuseSlow(probe, slowMs);
    if (budgetMs > 0 && !(await this.runs.underWay(orderOf(probe).subject))) throw new TargetBusyError(budgetMs);
  }

  /**
   * Refuses a host that was too slow for a probe in the last 15 minutes.
   * @throws {HostTooSlowError}
   */
  async requireQuick(probe: RunRequest): Promise<void> {
    if (needsQuick(probe)) refuseSlow(probe, await this.budgets.slowMs(probe.host.ascii));
  }

  /** Records, for all gateways, that a host was too slow for a probe. */
  async tooSlowError({ host }: RunRequest): Promise<HostTooSlowError> {
    await this.budgets.noteTooSlow(host.ascii);
    this.waits.clear();
    return new HostTooSlowError(await this.budgets.slowMs(host.ascii));
  }

  /** Counts a probe that starts. @throws {TargetBusyError} another buyer used the rest of the budget meanwhile */
  begin(probe: RunRequest): Promise<void> {
    const { ascii: host, site } = probe.host;
    return this.budgets.begin({ host, site }, potOf(probe), requestsIn(probe));
  }

  /** The error for a probe that was refused after its run started. */
  async busyError(probe: RunRequest): Promise<TargetBusyError> {
    return new TargetBusyError((await this.waitsOf(probe, 1)).budgetMs);
  }

  private waitsOf(probe: RunRequest, together: number): Promise<TargetWaits> {
    const { ascii: host, site } = probe.host;
    const [pot, requests] = [potOf(probe), requestsIn(probe)];
    const key = `${host} ${pot} ${requests} ${together}`;
    const known = this.waits.get(key);
    if (known) return known;
    const { budgets } = this;
    const asked = Promise.all([budgets.waitMs({ host, site }, pot, requests, together), budgets.slowMs(host)]).then(
      ([budgetMs, slowMs]) => ({ budgetMs, slowMs }),
    );
    this.waits.set(key, asked);
    asked.catch(() => this.waits.delete(key)); // the callers handle the error
    return asked;
  }
}

/** A single request has its own timeout, and a free probe costs nothing, so neither needs a fast host. */
function needsQuick({ kind }: RunRequest): boolean {
  return kind !== 'endpoint_health' && kind !== 'presence';
}

function refuseSlow(probe: RunRequest, slowMs: number): void {
  if (slowMs > 0 && needsQuick(probe)) throw new HostTooSlowError(slowMs);
}
