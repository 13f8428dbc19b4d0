import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The longest time until a response, in milliseconds: a live probe and its settlement, taken over by another
 * gateway.
 */
const ANSWER_MS = 75_000;
/** The maximum number of tries for one payment. */
const TRIES = 4;
const PAUSE_MS = 2_000;
const MAX_PAUSE_SEC = 10;

/** Codes of a 503 after which the same payment can be sent again without a second charge (docs/architecture.md). */
const UNDER_WAY: readonly unknown[] = ['settlement_unknown', 'payment_in_progress'];

interface RetryOptions {
  /** The pause between two tries, unless the service names one. */
  readonly pauseMs?: number;
  readonly onRetry?: () => void;
}

/**
 * Sends a request with a payment again until its response is definite. The same payment is charged at most once, but
 * a new payment would be charged again. Requests without a payment are sent once.
 * @throws the error of `send` if no try got a response
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
