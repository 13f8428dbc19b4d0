import type { Challenge } from './challenge';

/**
 * What is answered to a paid request without a payment that settles (402): an ordinary answer, hence no error. Nothing
 * was charged.
 */
export interface PaymentRequired {
  readonly challenge: Challenge;
  /** Of a payment that got as far as its settlement and will never settle. */
  readonly failed?: { readonly reason: string; readonly network: string; readonly payer: string };
}

/** The authorization, or the payer's identifier, was used for something else: answered 409. Nothing was charged. */
export class PaymentConflictError extends Error {
  constructor(readonly code: 'payment_used_for_another_request' | 'payment_identifier_used') {
    super(code);
    this.name = 'PaymentConflictError';
  }
}
