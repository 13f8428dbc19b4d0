import type { Attempt, Content, PaymentRequired, Settlement } from '@app/payments';
import { RequestError } from '../http/request-error';

export interface Sale extends Content {
  /** Missing when the answer was given away. */
  readonly settlement?: Settlement;
  /** The same payment was presented before; this is the answer it bought, uncharged. */
  readonly replayed: boolean;
  /** The request was the first with this payment, and drove its sale to the end. */
  readonly first?: true;
  /** Path of what the sale began. */
  readonly location?: string;
  /** What the service signs about the host of the answer, where it has a report. */
  readonly statement?: string;
  /** Version of x402 the payer speaks. */
  readonly x402Version: 1 | 2;
}

/** What an order is answered with. */
export type Answer = Sale | PaymentRequired;

export function isSale(answer: Answer): answer is Sale {
  return 'body' in answer;
}

/** A sale before the version of its payer is added. */
export type Release = Omit<Sale, 'x402Version'>;

/** What a settled attempt bought. */
export function releaseOf(attempt: Attempt, replayed: boolean): Release {
  if (attempt.answer === null || attempt.settlement === null)
    throw new Error('a settled attempt has an answer and a settlement');
  return { ...attempt.answer, settlement: attempt.settlement, replayed };
}

/** Another gateway took the attempt over because this one was slow; the buyer's next try finds it there. */
export function paymentInProgressError(): RequestError {
  return new RequestError(
    'payment_in_progress',
    'Another request with this payment is in progress. Send the same payment again.',
    {
      retryAfterSec: 2,
    },
  );
}

/**
 * A stored answer can be fetched again for this long after its authorization ended (behaviour 9.5), or after its settlement
 * became known, if that was later: it could not be fetched before.
 */
const REPLAY_MS = 24 * 3_600_000;

/** Whether the answer of a settled attempt can still be fetched again. */
export function isKept({ validBefore, reachedAt }: Pick<Attempt, 'validBefore' | 'reachedAt'>, now: Date): boolean {
  return Math.max(validBefore.getTime(), reachedAt.getTime()) + REPLAY_MS > now.getTime();
}
