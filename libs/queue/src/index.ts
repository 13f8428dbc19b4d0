export { openQueueBoard } from './board';
export type { QueueBoard } from './bull-board';
export * from './connection';
export * from './consumer';
export { enqueueRun } from './enqueue-run';
export { PROBE_QUEUES, type ProbeJob, type ProbeQueue } from './probe-jobs';
export { createProducer, type ProbeProducer } from './producer';
export { keepSchedule, SCHEDULE_QUEUE, type ScheduledJob } from './schedule';
