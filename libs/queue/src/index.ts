export { openQueueBoard } from './board';
export type { QueueBoard } from './bull-board';
export * from './connection';
export * from './consumer';
export * from './probe-jobs';
export { createProducer, type ProbeProducer } from './producer';
export { keepSchedule, SCHEDULE_QUEUE, type Schedule, type ScheduledJob } from './schedule';
