export { askEach } from './agreed-records';
export { PROBE_LIMITS, type ProbeLimits } from './limits';
export { createProber, type Prober, type ProberConfig, type ProberListener } from './prober';
export type { CollectedEvidence } from './evidence-collector';
export { ProbeFault } from './failure';
export { createSender, type Sender, type SenderConfig, type Sent } from './sender';
