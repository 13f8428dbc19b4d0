import { within } from '@app/platform';

/** How long the backend may take to let go of a connection, in milliseconds. */
const PATIENCE_MS = 1_500;

/**
 * Waits for `closed`, but not for ever: drivers wait for a backend that is away, and a process has to end while its
 * queue is out of reach. What is not closed then ends with the process.
 */
export async function patiently(closed: Promise<unknown>, patienceMs = PATIENCE_MS): Promise<void> {
  await within(patienceMs, closed, () => undefined);
}
