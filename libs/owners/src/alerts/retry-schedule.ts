import { VERIFY_TYPE } from './alert';

const DAY_SEC = 86_400;

/**
 * The seconds between the attempts of a delivery: ten attempts in 75 hours, 35 minutes and 5 seconds (Standard Webhooks
 * 1.0.0).
 */
export const WAITS_SEC = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, DAY_SEC] as const;
/** The longest wait that a receiver can request. */
const LONGEST_WAIT_SEC = DAY_SEC;
/** The random variation of a wait, so that deliveries that failed together are not retried together. */
const JITTER = 0.2;
/** After this many consecutive failures, a receiver gets no messages for a minute. */
const BREAK_AFTER = 5;
const BREAK_SEC = 60;

/** A receiver is slow if its last attempt took longer. */
const SLOW_MS = 5_000;
/** A receiver that has failed for this long gets no more messages. */
const FAILING_FOR_MS = 5 * DAY_SEC * 1_000;

/** The result of an attempt. */
export interface Attempted {
  readonly taken: boolean;
  /** The status of the answer. */
  readonly status: number | null;
  /** The status, or why there was no answer. */
  readonly outcome: string;
  readonly ms: number;
  readonly excerpt: string;
  /** Seconds until the next attempt; null if there is none. */
  readonly waitSec: number | null;
  /** How long the receiver gets no messages, in seconds. */
  readonly pauseSec: number;
  /** The receiver does not want any more messages. */
  readonly gone: boolean;
}

/** The state of a receiver. */
export interface ReceiverStanding {
  readonly state: string;
  /** Consecutive failures, and the time of the first one. */
  readonly failures: number;
  readonly failingSince: Date | null;
  /** Nothing is sent before this time. */
  readonly pausedUntil: Date | null;
}

/**
 * How an attempt changes a watch. @param type of the alert: a receiver that accepts {@link VERIFY_TYPE} wants alerts
 */
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
 * Seconds until the next attempt; undefined if there is none.
 * @param failures failed attempts, at least 1 @param askedSec the receiver's `Retry-After`
 * @param draw a random number from 0 to 1
 */
export function waitSec(failures: number, askedSec: number, draw: number): number | undefined {
  const wait = WAITS_SEC[failures - 1];
  if (wait === undefined) return undefined;
  return Math.max(Math.min(askedSec, LONGEST_WAIT_SEC), wait * (1 - JITTER + 2 * JITTER * draw));
}

/**
 * How long a receiver gets no messages at all, in seconds. @param inARow its consecutive failures, including this one
 */
export function pauseSec(inARow: number, askedSec: number): number {
  return Math.max(Math.min(askedSec, LONGEST_WAIT_SEC), inARow >= BREAK_AFTER ? BREAK_SEC : 0);
}

/** Whether the receiver accepted the alert. A redirect does not count and is never followed. */
export function isTaken(status: number): boolean {
  return status >= 200 && status < 300;
}

/** The status with which a receiver ends its alerts. */
export const GONE = 410;
