import { setTimeout as sleep } from 'node:timers/promises';

/** Generous: it bounds a test that would hang, on a machine that is busy with other things. */
const WITHIN_MS = 90_000;
const EVERY_MS = 20;

/**
 * Resolves once the condition holds.
 * @param what is waited for, as the error says it
 * @throws when it does not hold within `withinMs` milliseconds
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
