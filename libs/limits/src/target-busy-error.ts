/** Longest wait that is ever asked of a caller or granted to a target, in seconds. */
export const LONGEST_WAIT_SEC = 900;

/** What a host may be asked for is spent, whoever spent it. Before the gate it is 429; later the work is uncharged. */
export class TargetBusyError extends Error {
  override readonly name = 'TargetBusyError';
  readonly code = 'target_busy';
  /** Whole seconds, 1 to 900. */
  readonly retryAfterSec: number;

  constructor(waitMs: number) {
    super('this host is being asked as often as we allow ourselves; try again later, nothing was charged');
    this.retryAfterSec = Math.min(LONGEST_WAIT_SEC, Math.max(1, Math.ceil(waitMs / 1_000)));
  }
}
