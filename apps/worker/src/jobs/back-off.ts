import { header, type Exchange } from '@app/detectors';
import { LONGEST_WAIT_SEC, retryAfterSec } from '@app/limits';
import type { Skipped } from '@app/reports';

/** Statuses with which a host asks us to back off (RFC 6585, RFC 9110). */
const BACK_OFF_STATUSES: readonly number[] = [429, 503];

/** The seconds in the host's Retry-After, at most 15 minutes; 0 if missing. */
export function backOffSec(exchange: Exchange, now: Date): number {
  if (exchange.kind !== 'answer' || !BACK_OFF_STATUSES.includes(exchange.status)) return 0;
  return Math.min(LONGEST_WAIT_SEC, retryAfterSec(header(exchange, 'retry-after') ?? '', now));
}

/** Why a free probe stopped after the first response of a host, the one to `/robots.txt`. */
export function skippedAt(robots: Exchange): Skipped {
  const at = new Date(robots.observedAt);
  const seconds = backOffSec(robots, at);
  if (robots.kind !== 'answer' || seconds === 0) return { reason: 'robots_txt', at: at.toISOString() };
  return {
    reason: robots.status === 429 ? 'rate_limited' : 'unavailable',
    at: at.toISOString(),
    until: new Date(at.getTime() + seconds * 1_000).toISOString(),
  };
}
