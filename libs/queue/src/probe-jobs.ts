/**
 * Separate queues, so that slow free work never delays a paid probe, and claim checks never delay free probes. `live`
 * is for probes that a caller waits for, `presence` for free probes and, with the lowest priority, census hosts,
 * `claims` for claim checks.
 */
export const PROBE_QUEUES = ['live', 'presence', 'claims'] as const;
export type ProbeQueue = (typeof PROBE_QUEUES)[number];

/** A job only has ids: the request is in the row, and payments never enter the queue. */
export interface ProbeJob {
  readonly runId: string;
  /** The HTTP request that started the probe, for the logs. */
  readonly requestId?: string;
  /** The span that the probe belongs to (W3C Trace Context), if tracing is enabled. */
  readonly traceparent?: string;
}

/** A host of a census; its row tells whether it still has to be probed. */
export interface CensusJob {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  readonly domain: string;
}
