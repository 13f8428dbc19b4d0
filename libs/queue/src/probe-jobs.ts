/**
 * Separate queues, so that slow free work never delays a paid probe, and claim checks never delay free probes: `live` for
 * probes that a caller waits for, `presence` for free ones and, behind all of these, hosts of a census, `claims` for
 * checks of claims.
 */
export const PROBE_QUEUES = ['live', 'presence', 'claims'] as const;
export type ProbeQueue = (typeof PROBE_QUEUES)[number];

/** A job carries ids and nothing else: the row holds the request, and no payment ever enters the queue. */
export interface ProbeJob {
  readonly runId: string;
  /** The HTTP request that began the probe, for the logs. */
  readonly requestId?: string;
  /** The span that the probe belongs to (W3C Trace Context), when traces are on. */
  readonly traceparent?: string;
}

/** A host of a census; its row says whether it is still to be probed. */
export interface CensusJob {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  readonly domain: string;
}
