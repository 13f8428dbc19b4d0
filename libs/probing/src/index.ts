export { askEach, type NamedRecords } from './agreed-records';
export { PROBE_LIMITS, type ProbeLimits } from './limits';
export {
  createProber,
  type Prober,
  type ProberCollectOptions,
  type ProberConfig,
  type ProberListener,
  type TimedExchange,
} from './prober';
export type { CollectedEvidence, Planner } from './evidence-collector';
export type { FirstPass, FirstPassOptions } from './first-pass';
export type { SignRequest, SignatureHeaders } from './request-headers';
export { ProbeFault } from './failure';
export type { Resolver } from './resolver';
export { createSender, type Sender, type SenderConfig, type Sent } from './sender';
export type { TlsFacts } from './certificate';
export { parseConnectTo, type ConnectTo, type ConnectToTarget } from './connect-to';
export type { RequestBudget, RequestTarget } from './request-budget';
