import type { ErrorCode } from '../http/error-codes';
import { RequestError } from '../http/request-error';

/** The probe timed out; nothing is charged. */
export class ProbeTimeoutError extends RequestError {
  constructor(readonly runId: string) {
    super('probe_timeout');
  }
}

/** The probe failed on our side; nothing is charged. */
export class ProbeFailedError extends RequestError {
  constructor(readonly failure: string) {
    super('probe_failed');
  }
}

/** The host or a parent domain opted out of probes. Checked before any payment. */
export class OptedOutError extends RequestError {
  constructor(readonly domain: string) {
    super('opted_out');
  }
}

/** The host was too slow for a recent probe. Checked before any payment; a probe that finds this out is not charged. */
export class HostTooSlowError extends RequestError {
  constructor(waitMs: number) {
    super('host_too_slow', undefined, { retryAfterSec: Math.max(1, Math.ceil(waitMs / 1_000)), charged: false });
  }
}

/** The error codes of requests for a live probe. */
export const PROBE_ERRORS = [
  'target_busy',
  'opted_out',
  'host_too_slow',
  'no_worker',
  'busy',
  'queue_unavailable',
  'probe_timeout',
  'probe_failed',
] as const satisfies readonly ErrorCode[];
