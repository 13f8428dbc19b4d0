import { TargetBusyError, type OptOuts, type TargetBudgets } from '@app/limits';
import type { RunRepository, RunRequest } from '@app/persistence';
import { HostName } from '@app/reports';
import { LRUCache } from 'lru-cache';
import { OptedOutError } from './probe-errors';

/** An answer is this old at most: many unpaid requests for one host make one look at the counters. */
const MAX_AGE_MS = 500;
const MAX_ENTRIES = 5_000;

export interface TargetAdmissionParts {
  readonly budgets: TargetBudgets;
  readonly optOuts: OptOuts;
  readonly runs: RunRepository;
}

/** Whether a host may be looked at, as far as the host is concerned (contract 7). */
export class TargetAdmission {
  private readonly waits = new LRUCache<string, Promise<number>>({ max: MAX_ENTRIES, ttl: MAX_AGE_MS });

  constructor(private readonly parts: TargetAdmissionParts) {}

  /**
   * Called before money is asked for. A host whose budget is spent is admitted while a look at the same subject is under
   * way: the buyer will share that one.
   * @throws {OptedOutError} | {TargetBusyError}
   */
  async admit(look: RunRequest): Promise<void> {
    if (this.parts.optOuts.covers(look.domain)) throw new OptedOutError(look.domain);
    const waitMs = await this.waitMs(look.domain);
    if (waitMs > 0 && !(await this.parts.runs.isUnderWay(look))) throw new TargetBusyError(waitMs);
  }

  /** Counts a look that begins. @throws {TargetBusyError} another buyer took the last one meanwhile */
  beginLook(domain: string): Promise<void> {
    return this.parts.budgets.beginLook(domain);
  }

  /** What to tell somebody whose look was refused on the way. */
  async refusal(look: RunRequest): Promise<TargetBusyError> {
    return new TargetBusyError(await this.waitMs(look.domain));
  }

  private waitMs(domain: string): Promise<number> {
    const known = this.waits.get(domain);
    if (known) return known;
    const reading = HostName.parse(domain);
    const site = reading.ok ? reading.host.site : domain;
    const asked = this.parts.budgets.waitMs({ host: domain, site });
    this.waits.set(domain, asked);
    asked.catch(() => this.waits.delete(domain));
    return asked;
  }
}
