import { setTimeout as sleep } from 'node:timers/promises';

/** The longest answer: a live probe, its settlement, and a gateway that takes both over from another. */
const ANSWER_MS = 75_000;
/** Tries to get the answer of one payment. */
const TRIES = 4;
const PAUSE_MS = 2_000;
const MAX_PAUSE_SEC = 10;

/** Codes of a 503 that the very same payment gets past, uncharged (docs/architecture.md). */
const UNDER_WAY: readonly unknown[] = ['settlement_unknown', 'payment_in_progress'];

interface RetryOptions {
  /** Between two tries, unless the service names a time. */
  readonly pauseMs?: number;
  readonly onRetry?: () => void;
}

/**
 * Sends a request that carries a payment again until something definite is said: the same payment is charged once at
 * most, a new one would be charged again. Requests without a payment are sent once.
 * @throws what `send` throws when no try was answered
 */
export function retryingFetch(
  send: typeof fetch,
  { pauseMs = PAUSE_MS, onRetry = () => undefined }: RetryOptions = {},
): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const paid = request.headers.has('payment-signature');
    for (let tries = 1; ; tries += 1) {
      const last = !paid || tries === TRIES;
      try {
        const response = await send(request.clone(), { signal: AbortSignal.timeout(ANSWER_MS) });
        if (last || response.status !== 503 || !(await isUnderWay(response.clone()))) return response;
        onRetry();
        const seconds = Number(response.headers.get('retry-after') ?? '');
        await sleep(seconds > 0 ? Math.min(seconds, MAX_PAUSE_SEC) * 1_000 : pauseMs);
      } catch (error) {
        if (last) throw error;
        onRetry();
        await sleep(pauseMs);
      }
    }
  };
}

async function isUnderWay(response: Response): Promise<boolean> {
  const body: unknown = await response.json().catch(() => null);
  return typeof body === 'object' && body !== null && 'code' in body && UNDER_WAY.includes(body.code);
}
