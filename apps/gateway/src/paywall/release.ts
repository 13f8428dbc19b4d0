import { PaymentUnavailableError, type Attempt, type Settlement } from '@app/payments';

export interface Sale {
  readonly body: string;
  /** Missing when the answer was given away. */
  readonly settlement?: Settlement;
  /** The same payment was presented before; this is the answer it bought, uncharged. */
  readonly replayed: boolean;
  /** Version of x402 the payer speaks. */
  readonly x402Version: 1 | 2;
}

/** A sale before it is known who is told of it. */
export type Release = Omit<Sale, 'x402Version'>;

/** What a settled attempt bought. */
export function releaseOf(attempt: Attempt, replayed: boolean): Release {
  if (attempt.answer === null || attempt.settlement === null)
    throw new Error('a settled attempt has an answer and a settlement');
  return { body: attempt.answer, settlement: attempt.settlement, replayed };
}

/** The money may have moved: never answered with a new challenge. */
export function settlementUnknown(): PaymentUnavailableError {
  return new PaymentUnavailableError(
    'settlement_unknown',
    'the settlement is not confirmed yet; send the same payment again to get the answer, it is not charged twice',
    5,
  );
}

/** Somebody took the attempt over while we were slow; the buyer's next try meets it wherever it is. */
export function workedOnElsewhere(): PaymentUnavailableError {
  return new PaymentUnavailableError(
    'payment_in_progress',
    'this payment is being worked on elsewhere; send it again',
    2,
  );
}
