import { OptOuts, TargetBudgets, TargetBusyError } from '@app/limits';
import { RunRepository } from '@app/storage';
import { orderOf, potOf, requestsIn, type RunRequest } from '@app/queue';
import { LRUCache } from 'lru-cache';
import { HostTooSlowError, OptedOutError } from './probe-errors';

/** What is known is this old at most: many unpaid requests for one host read the counters once. */
const MAX_AGE_MS = 100;
const MAX_ENTRIES = 5_000;

/** How long a host is to be left alone, in milliseconds; 0 means not at all. */
interface TargetWaits {
  /** Until its budgets allow the probe with all of its requests. */
  readonly budgetMs: number;
  /** Since it was too slow for one. */
  readonly slowMs: number;
}

/** Whether a host may be probed, as far as the host is concerned (behaviour 12.3). */
export class TargetAdmission {
  private readonly waits = new LRUCache<string, Promise<TargetWaits>>({ max: MAX_ENTRIES, ttl: MAX_AGE_MS });

  constructor(
    private readonly budgets: TargetBudgets,
    private readonly optOuts: OptOuts,
    private readonly runs: RunRepository,
  ) {}

  /**
   * Called before money is asked for. A host whose budget is spent is admitted while a probe of the same subject is under
   * way: the buyer will share that one.
   * @param together so many probes of hosts that may be neighbors begin at once
   * @throws {OptedOutError} | {HostTooSlowError} | {TargetBusyError}
   */
  async admit(probe: RunRequest, together: number): Promise<void> {
    if (this.optOuts.covers(probe.host.ascii)) throw new OptedOutError(probe.host.ascii);
    const { slowMs, budgetMs } = await this.waitsOf(probe, together);
    refuseSlow(probe, slowMs);
    if (budgetMs > 0 && !(await this.runs.underWay(orderOf(probe).subject))) throw new TargetBusyError(budgetMs);
  }

  /**
   * Refuses a probe of a host that was too slow for one in the last 15 minutes.
   * @throws {HostTooSlowError}
   */
  async requireQuick(probe: RunRequest): Promise<void> {
    if (needsQuick(probe)) refuseSlow(probe, await this.budgets.slowMs(probe.host.ascii));
  }

  /** Notes that a probe showed a host to be too slow, for all gateways. */
  async tooSlowError({ host }: RunRequest): Promise<HostTooSlowError> {
    await this.budgets.noteTooSlow(host.ascii);
    this.waits.clear();
    return new HostTooSlowError(await this.budgets.slowMs(host.ascii));
  }

  /** Counts a probe that begins. @throws {TargetBusyError} another buyer took the last one meanwhile */
  begin(probe: RunRequest): Promise<void> {
    const { ascii: host, site } = probe.host;
    return this.budgets.begin({ host, site }, potOf(probe), requestsIn(probe));
  }

  /** The error for a probe that was refused after its run began. */
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
    asked.catch(() => this.waits.delete(key)); // its callers get the error
    return asked;
  }
}

/** One request has a time of its own, and a free probe costs its reader nothing. */
function needsQuick({ kind }: RunRequest): boolean {
  return kind !== 'endpoint_health' && kind !== 'presence';
}

function refuseSlow(probe: RunRequest, slowMs: number): void {
  if (slowMs > 0 && needsQuick(probe)) throw new HostTooSlowError(slowMs);
}
