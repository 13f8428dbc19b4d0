import type { DeepReadonly } from '@app/platform';
import { z } from 'zod';
import { time } from './answer-schema';

/** Behaviour 3.5. */
export const PRESENCE_MAX_AGE_SEC = 86_400;
export const CALLABILITY_MAX_AGE_SEC = 900;

/**
 * Behaviour 3.5: flags from the two timestamps. A flag is stale if its timestamp is missing or older than its maximum
 * age.
 */
export const CacheState = z.object({
  presenceMaxAgeSec: z.literal(PRESENCE_MAX_AGE_SEC),
  callabilityMaxAgeSec: z.literal(CALLABILITY_MAX_AGE_SEC),
  presenceStale: z.boolean(),
  callabilityStale: z.boolean().describe('When true, buy a refresh to get live data.'),
});
export type CacheState = DeepReadonly<z.infer<typeof CacheState>>;

/** When a host was last probed; a missing timestamp was never set. */
export const HostClocks = z.object({
  probedAt: time.describe('When the published documents were last read.').exactOptional(),
  callabilityProbedAt: time.describe('When the declared endpoints were last tested.').exactOptional(),
});
export type HostClocks = DeepReadonly<z.infer<typeof HostClocks>>;

/** The flags of behaviour 3.5 at the time `now`. At exactly its maximum age, a timestamp is still fresh. */
export function cacheState(clocks: HostClocks, now: Date): CacheState {
  return {
    presenceMaxAgeSec: PRESENCE_MAX_AGE_SEC,
    callabilityMaxAgeSec: CALLABILITY_MAX_AGE_SEC,
    presenceStale: isStale(clocks.probedAt, PRESENCE_MAX_AGE_SEC, now),
    callabilityStale: isStale(clocks.callabilityProbedAt, CALLABILITY_MAX_AGE_SEC, now),
  };
}

/**
 * For how many whole seconds the flags stay the same, rounded down so that no cache outlives them; Infinity if both are
 * stale, because only a probe changes them then. `max-age` of a report is the minimum of this and 60 (behaviour 3.10).
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

/** Remaining milliseconds of freshness; negative if stale, missing or invalid. */
function msLeft(clock: string | undefined, maxAgeSec: number, now: Date): number {
  const setAt = clock === undefined ? NaN : Date.parse(clock);
  return Number.isNaN(setAt) ? -1 : setAt + maxAgeSec * 1_000 - now.getTime();
}
