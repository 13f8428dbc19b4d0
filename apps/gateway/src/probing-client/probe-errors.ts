import type { ErrorCode } from '../http/error-codes';
import { RequestError } from '../http/request-error';

/** The probe did not end in time: uncharged. */
export class ProbeTimeoutError extends RequestError {
  constructor(readonly runId: string) {
    super('probe_timeout');
  }
}

/** The probe failed for a reason of the service: uncharged. */
export class ProbeFailedError extends RequestError {
  constructor(readonly failure: string) {
    super('probe_failed');
  }
}

/** The host, or a name above it, is on the list of those that are never probed: answered before any payment. */
export class OptedOutError extends RequestError {
  constructor(readonly domain: string) {
    super('opted_out');
  }
}

/** The host was too slow for a probe lately: answered before any payment. A probe that shows it is uncharged. */
export class HostTooSlowError extends RequestError {
  constructor(waitMs: number) {
    super('host_too_slow', undefined, { retryAfterSec: Math.max(1, Math.ceil(waitMs / 1_000)), charged: false });
  }
}

/** The codes with which a request for a live probe may be refused. */
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
