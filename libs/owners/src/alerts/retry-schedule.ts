import { VERIFY_TYPE } from './alert';

const DAY_SEC = 86_400;

/** Seconds between the attempts of a delivery: ten of them in 75 hours, 35 minutes and 5 seconds (Standard Webhooks 1.0.0). */
export const WAITS_SEC = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, DAY_SEC] as const;
/** A receiver cannot ask for a longer wait. */
const LONGEST_WAIT_SEC = DAY_SEC;
/** How far a wait is drawn from that of the schedule, so that what failed together does not come back together. */
const JITTER = 0.2;
/** After this many failures in a row a receiver gets nothing for a minute. */
const BREAK_AFTER = 5;
const BREAK_SEC = 60;

/** A receiver whose last attempt took longer is slow. */
const SLOW_MS = 5_000;
/** A receiver that failed for so long gets nothing any more. */
const FAILING_FOR_MS = 5 * DAY_SEC * 1_000;

/** How an attempt ended. */
export interface Attempted {
  readonly taken: boolean;
  /** Status of the answer. */
  readonly status: number | null;
  /** The status, or why there was no answer. */
  readonly outcome: string;
  readonly ms: number;
  readonly excerpt: string;
  /** Seconds until the next attempt; null when there is none. */
  readonly waitSec: number | null;
  /** Seconds in which the receiver gets nothing. */
  readonly pauseSec: number;
  /** The receiver wants nothing any more. */
  readonly gone: boolean;
}

/** What is known of a receiver. */
export interface ReceiverStanding {
  readonly state: string;
  /** Attempts that failed in a row, and since when none succeeded. */
  readonly failures: number;
  readonly failingSince: Date | null;
  /** Nothing is sent before. */
  readonly pausedUntil: Date | null;
}

/** How an attempt changes a watch. @param type of the alert: a receiver that accepts {@link VERIFY_TYPE} wants alerts */
export function afterAttempt(
  { state, failures, failingSince, pausedUntil }: ReceiverStanding,
  { taken, ms, pauseSec: paused, gone }: Attempted,
  type: string,
  now: Date,
) {
  if (taken) {
    const next = state === 'pending' && type === VERIFY_TYPE ? 'active' : state;
    return { state: next, failures: 0, failingSince: null, pausedUntil: null, slow: ms > SLOW_MS };
  }
  const since = failingSince ?? now;
  const until = Math.max(pausedUntil?.getTime() ?? 0, now.getTime() + paused * 1_000);
  const reason = gone ? 'gone' : now.getTime() - since.getTime() > FAILING_FOR_MS ? 'failing' : undefined;
  const failed = { failures: failures + 1, failingSince: since, pausedUntil: new Date(until) };
  return reason === undefined ? failed : { ...failed, state: 'ended', reason };
}

/**
 * Seconds until the next attempt; undefined when there is none.
 * @param failures attempts that failed, at least 1 @param askedSec what the receiver asked for in `Retry-After`
 * @param draw a number from 0 to 1
 */
export function waitSec(failures: number, askedSec: number, draw: number): number | undefined {
  const wait = WAITS_SEC[failures - 1];
  if (wait === undefined) return undefined;
  return Math.max(Math.min(askedSec, LONGEST_WAIT_SEC), wait * (1 - JITTER + 2 * JITTER * draw));
}

/** Seconds in which a receiver gets nothing at all. @param inARow its failures, this one included */
export function pauseSec(inARow: number, askedSec: number): number {
  return Math.max(Math.min(askedSec, LONGEST_WAIT_SEC), inARow >= BREAK_AFTER ? BREAK_SEC : 0);
}

/** Whether an answer takes the alert; redirects do not, and are never followed. */
export function isTaken(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The receiver says that it wants nothing any more. */
export const GONE = 410;
