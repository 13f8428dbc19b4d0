/** The longest wait that a caller is told or a target can request, in seconds. */
export const LONGEST_WAIT_SEC = 900;

/**
 * The request budget of the host is used up, for all callers. Before payment this is a 429; later, the work is not
 * charged.
 */
export class TargetBusyError extends Error {
  override readonly name = 'TargetBusyError';
  readonly code = 'target_busy';
  /** Whole seconds, 1 to 900. */
  readonly retryAfterSec: number;

  constructor(waitMs: number) {
    super('the request budget of the host is used up');
    this.retryAfterSec = Math.min(LONGEST_WAIT_SEC, Math.max(1, Math.ceil(waitMs / 1_000)));
  }
}
