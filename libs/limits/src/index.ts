export { openLimitStore, type LimitStore, type LimitStoreOptions } from './limit-store';
export { OptOuts } from './opt-outs';
export { TargetBudgets, type Target, type TargetLimits } from './target-budgets';
export { TargetBusyError } from './target-busy-error';
