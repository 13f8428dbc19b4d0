import type { HostJudgement } from '@app/detectors';
import { PROBE_LIMITS } from '@app/probing';

/** The run ran out of time before its probe had any result. This says nothing about the host, and is not charged. */
export class OutOfTimeError extends Error {
  override readonly name = 'OutOfTimeError';
  readonly code = 'budget_spent';

  constructor() {
    super('the probe ran out of time before the host answered');
  }
}

/** In the full time of a probe, the host answered too little for a report that can be sold (behaviour 12.9). */
export class HostTooSlowError extends Error {
  override readonly name = 'HostTooSlowError';
  readonly code = 'host_too_slow';

  constructor() {
    super('the host was too slow to finish the probe');
  }
}

/**
 * Rejects a result without the essential data of a report.
 * @throws {HostTooSlowError}; {OutOfTimeError} if the run had less than the time of a probe, which is not the host's
 * fault
 */
export function requireReached({ tooSlow }: Pick<HostJudgement, 'tooSlow'>, deadlineMs: number): void {
  if (tooSlow) throw deadlineMs < PROBE_LIMITS.hostMs ? new OutOfTimeError() : new HostTooSlowError();
}
