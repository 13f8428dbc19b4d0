export { PROBE_LIMITS, type ProbeLimits } from './limits';
export { createProber, type Prober, type ProberCollectOptions, type ProberConfig, type TimedExchange } from './prober';
export type { CollectedEvidence } from './evidence-collector';
export type { SignRequest, SignatureHeaders } from './request-headers';
export { ProbeFault } from './failure';
export type { Resolver } from './resolver';
export type { TlsFacts } from './safe-dialer';
export { parseConnectTo, type ConnectTo, type ConnectToTarget } from './connect-to';
export type { RequestBudget, RequestTarget } from './request-budget';
