import type { Attempt, Content, PaymentRequired, Settlement } from '@app/payments';
import { RequestError } from '../http/request-error';

export interface Sale extends Content {
  /** Missing if the answer was free. */
  readonly settlement?: Settlement;
  /** The same payment was presented before; this is the answer it bought, without a second charge. */
  readonly replayed: boolean;
  /** This request was the first with this payment, and completed the sale. */
  readonly first?: true;
  /** Path of the resource that the sale created. */
  readonly location?: string;
  /** The signed statement about the host, if it has a report. */
  readonly statement?: string;
  /** The x402 version of the payer. */
  readonly x402Version: 1 | 2;
}

/** What a buyer receives: the sale, or the challenge. */
export type Answer = Sale | PaymentRequired;

export function isSale(answer: Answer): answer is Sale {
  return 'body' in answer;
}

/** A sale without the x402 version of its payer. */
export type Release = Omit<Sale, 'x402Version'>;

/** The answer that a settled attempt bought. */
export function releaseOf(attempt: Attempt, replayed: boolean): Release {
  if (attempt.answer === null || attempt.settlement === null)
    throw new Error('a settled attempt has an answer and a settlement');
  return { ...attempt.answer, settlement: attempt.settlement, replayed };
}

/** Another gateway took over the attempt because this one was too slow. The buyer finds the answer on the next try. */
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
 * How long a stored answer can be fetched again, counted from the end of its authorization or from its confirmed
 * settlement, whichever is later (behaviour 9.5).
 */
const REPLAY_MS = 24 * 3_600_000;

/** Whether the answer of a settled attempt can still be fetched. */
export function isKept({ validBefore, reachedAt }: Pick<Attempt, 'validBefore' | 'reachedAt'>, now: Date): boolean {
  return Math.max(validBefore.getTime(), reachedAt.getTime()) + REPLAY_MS > now.getTime();
}
