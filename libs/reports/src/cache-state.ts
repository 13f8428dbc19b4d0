import type { DeepReadonly } from '@app/platform';
import { z } from 'zod';
import { time } from './answer-schema';

/** Behaviour 3.5. */
export const PRESENCE_MAX_AGE_SEC = 86_400;
export const CALLABILITY_MAX_AGE_SEC = 900;

/** Behaviour 3.5, from the two clocks; a flag is stale when its clock is missing or older than its max age. */
export const CacheState = z.object({
  presenceMaxAgeSec: z.literal(PRESENCE_MAX_AGE_SEC),
  callabilityMaxAgeSec: z.literal(CALLABILITY_MAX_AGE_SEC),
  presenceStale: z.boolean(),
  callabilityStale: z.boolean().describe('When true, buy a refresh to get live data.'),
});
export type CacheState = DeepReadonly<z.infer<typeof CacheState>>;

/** When a host was last probed; a missing clock was never set. */
export const HostClocks = z.object({
  probedAt: time.describe('When the published documents were last read.').exactOptional(),
  callabilityProbedAt: time.describe('When the declared endpoints were last tested.').exactOptional(),
});
export type HostClocks = DeepReadonly<z.infer<typeof HostClocks>>;

/** The flags of behaviour 3.5 at the time `now`. A clock is still fresh at exactly its max age (behaviour 3.5). */
export function cacheState(clocks: HostClocks, now: Date): CacheState {
  return {
    presenceMaxAgeSec: PRESENCE_MAX_AGE_SEC,
    callabilityMaxAgeSec: CALLABILITY_MAX_AGE_SEC,
    presenceStale: isStale(clocks.probedAt, PRESENCE_MAX_AGE_SEC, now),
    callabilityStale: isStale(clocks.callabilityProbedAt, CALLABILITY_MAX_AGE_SEC, now),
  };
}

/**
 * Whole seconds for which the flags stay as they are, rounded down so that no cache outlives them; Infinity when both
 * are stale, since only a probe flips them then. `max-age` of a report is the smaller of this and 60 (behaviour 3.10).
 */
export function secondsToNextFlip(clocks: HostClocks, now: Date): number {
  const left = [
    msLeft(clocks.probedAt, PRESENCE_MAX_AGE_SEC, now),
    msLeft(clocks.callabilityProbedAt, CALLABILITY_MAX_AGE_SEC, now),
  ].filter((ms) => ms >= 0);
  return Math.floor(Math.min(...left) / 1_000);
}

function isStale(clock: string | undefined, maxAgeSec: number, now: Date): boolean {
  return msLeft(clock, maxAgeSec, now) < 0;
}

/** Milliseconds of freshness left; negative once stale, and for a clock that is missing or no time at all. */
function msLeft(clock: string | undefined, maxAgeSec: number, now: Date): number {
  const setAt = clock === undefined ? NaN : Date.parse(clock);
  return Number.isNaN(setAt) ? -1 : setAt + maxAgeSec * 1_000 - now.getTime();
}
