/** Longest wait that a caller is told or a target is granted, in seconds. */
export const LONGEST_WAIT_SEC = 900;

/** The request budget of a host is spent, for all callers. Before the payment it is 429; later the work is uncharged. */
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
