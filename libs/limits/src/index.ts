export {
  CallerLimit,
  callerKey,
  ALL_CALLERS,
  networkKey,
  FailureLimit,
  FloodGuard,
  isLoopback,
  type Standing,
} from './caller-limits';
export { openLimitStore, type Counters, type LimitStore } from './limit-store';
export { NegativeCache } from './negative-cache';
export { OptOuts } from './opt-outs';
export { Slots } from './slots';
export * from './receiver-budgets';
export { disallowedByRobots } from './robots';
export { retryAfterSec } from './retry-after';
export { PROBE_KINDS, type ProbeKind } from './probe-kinds';
export { TargetBudgets } from './target-budgets';
export { LONGEST_WAIT_SEC, TargetBusyError } from './target-busy-error';
export * from './lockout';
