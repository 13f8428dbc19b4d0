import type { Challenge } from './challenge';

/** A paid request without a payment that settles: answered 402 with the challenge. Nothing was charged. */
export class PaymentRequiredError extends Error {
  constructor(readonly challenge: Challenge) {
    super(challenge.body.error);
    this.name = 'PaymentRequiredError';
  }
}

/** The authorization was used for another request: answered 409. */
export class PaymentConflictError extends Error {
  readonly code = 'payment_used_for_another_request';
  constructor() {
    super('this payment was already used for another request');
    this.name = 'PaymentConflictError';
  }
}

/** Payments cannot be taken now, or the outcome of one is not known yet: answered 503, never with a new challenge. */
export class PaymentUnavailableError extends Error {
  constructor(
    readonly code: 'facilitator_unavailable' | 'payments_not_configured' | 'settlement_unknown' | 'payment_in_progress',
    message: string,
    readonly retryAfterSec: number,
  ) {
    super(message);
    this.name = 'PaymentUnavailableError';
  }
}
