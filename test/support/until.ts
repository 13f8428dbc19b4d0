import { setTimeout as sleep } from 'node:timers/promises';

/** Generous: it only ends a test that would hang on a busy machine. */
const WITHIN_MS = 90_000;
const EVERY_MS = 20;

/**
 * Resolves once the condition holds.
 * @param what description for the error
 * @throws if it does not hold within `withinMs` milliseconds
 */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  withinMs: number = WITHIN_MS,
): Promise<void> {
  const end = Date.now() + withinMs;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`waited ${withinMs / 1_000} s in vain: ${what}`);
    await sleep(EVERY_MS);
  }
}
