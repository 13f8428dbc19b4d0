/**
 * Two queues, so that a slow background crawl never stands in front of somebody who paid: `live` for looks that
 * someone waits for, `presence` for free ones.
 */
export const PROBE_QUEUES = ['live', 'presence'] as const;
export type ProbeQueue = (typeof PROBE_QUEUES)[number];

/** A job carries ids and nothing else: the row holds the request, and no payment ever enters the queue. */
export interface ProbeJob {
  readonly runId: string;
  /** The request that asked for the look first, for the logs. */
  readonly requestId?: string;
}

/** The one job name; what to do stands in the run. */
export const PROBE_JOB = 'probe';
