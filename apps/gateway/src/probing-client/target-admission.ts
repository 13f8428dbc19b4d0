import { Injectable } from '@nestjs/common';
import { OptOuts, TargetBudgets, TargetBusyError } from '@app/limits';
import { RunRepository } from '@app/persistence';
import { orderOf, type RunRequest } from '@app/queue';
import type { HostName } from '@app/reports';
import { LRUCache } from 'lru-cache';
import { HostTooSlowError, OptedOutError } from './probe-errors';

/** What is known is this old at most: many unpaid requests for one host read the counters once. */
const MAX_AGE_MS = 100;
const MAX_ENTRIES = 5_000;

/** How long a host is to be left alone, in milliseconds; 0 means not at all. */
interface TargetWaits {
  /** Until its budget allows another probe. */
  readonly budgetMs: number;
  /** Since it was too slow for one. */
  readonly slowMs: number;
}

/** Whether a host may be probed, as far as the host is concerned (behaviour 12.3). */
@Injectable()
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
   * @throws {OptedOutError} | {HostTooSlowError} | {TargetBusyError}
   */
  async admit(probe: RunRequest): Promise<void> {
    if (this.optOuts.covers(probe.host.ascii)) throw new OptedOutError(probe.host.ascii);
    const { slowMs, budgetMs } = await this.waitsOf(probe.host);
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
    this.waits.delete(host.ascii);
    return new HostTooSlowError(await this.budgets.slowMs(host.ascii));
  }

  /** Counts a probe that begins. @throws {TargetBusyError} another buyer took the last one meanwhile */
  beginProbe(domain: string): Promise<void> {
    return this.budgets.beginProbe(domain);
  }

  /** The error for a probe that was refused after its run began. */
  async busyError(probe: RunRequest): Promise<TargetBusyError> {
    return new TargetBusyError((await this.waitsOf(probe.host)).budgetMs);
  }

  private waitsOf({ ascii, site }: HostName): Promise<TargetWaits> {
    const known = this.waits.get(ascii);
    if (known) return known;
    const asked = Promise.all([this.budgets.waitMs({ host: ascii, site }), this.budgets.slowMs(ascii)]).then(
      ([budgetMs, slowMs]) => ({ budgetMs, slowMs }),
    );
    this.waits.set(ascii, asked);
    asked.catch(() => this.waits.delete(ascii)); // its callers get the error
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
