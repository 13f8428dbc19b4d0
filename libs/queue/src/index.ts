export { openQueueBoard, type QueueBoard } from './bull-board';
export { createConsumer, type ProbeConsumer } from './consumer';
export { enqueueClaimCheck, enqueueRun } from './enqueue-run';
export { queueConnection } from './open';
export { PROBE_QUEUES, type CensusJob, type ProbeJob, type ProbeQueue } from './probe-jobs';
export {
  orderOf,
  outcomeOf,
  potOf,
  readRun,
  requestsIn,
  RUN_KINDS,
  type Run,
  type RunKind,
  type RunOutcome,
  type RunRequest,
} from './run-contract';
export { createProducer, type ProbeProducer } from './producer';
export { keepSchedule, SCHEDULE_QUEUE, type ScheduledJob } from './schedule';
