export { CallerLimit, callerKey, FloodGuard, isLoopback, type Quota, type Standing } from './caller-limits';
export { openLimitStore, type LimitStore, type LimitStoreOptions } from './limit-store';
export { NegativeCache } from './negative-cache';
export { OptOuts } from './opt-outs';
export { Places } from './places';
export { asksToStayAway } from './robots';
export { retryAfterSec } from './retry-after';
export { TargetBudgets, type Target, type TargetLimits } from './target-budgets';
export { TargetBusyError } from './target-busy-error';
