import type { HostJudgement } from '@app/detectors';
import { PROBE_LIMITS } from '@app/probing';

/** The time of the run was over before anything came of its probe: that says nothing about the host and is not charged. */
export class OutOfTimeError extends Error {
  override readonly name = 'OutOfTimeError';
  readonly code = 'budget_spent';

  constructor() {
    super('the probe ran out of time before the host answered');
  }
}

/** In the whole time of a probe the host did not answer enough of it for a report to be sold (behaviour 12.9). */
export class HostTooSlowError extends Error {
  override readonly name = 'HostTooSlowError';
  readonly code = 'host_too_slow';

  constructor() {
    super('the host was too slow to finish the probe');
  }
}

/**
 * Takes no result that misses what a report rests on.
 * @throws {HostTooSlowError}; {OutOfTimeError} when the run had less than the time of a probe, which is not the host's doing
 */
export function requireReached({ tooSlow }: Pick<HostJudgement, 'tooSlow'>, deadlineMs: number): void {
  if (tooSlow) throw deadlineMs < PROBE_LIMITS.hostMs ? new OutOfTimeError() : new HostTooSlowError();
}
