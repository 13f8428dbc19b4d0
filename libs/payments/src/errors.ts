import type { Challenge } from './challenge';

/**
 * The answer (402) to a paid request without a payment that settles. It is a normal outcome, so it is not an error.
 * Nothing was charged.
 */
export interface PaymentRequired {
  readonly challenge: Challenge;
  /** Set for a payment whose settlement was attempted and will never succeed. */
  readonly failed?: { readonly reason: string; readonly network: string; readonly payer: string };
}

/** The authorization, or the payer's identifier, was already used for something else (409). Nothing was charged. */
export class PaymentConflictError extends Error {
  constructor(readonly code: 'payment_used_for_another_request' | 'payment_identifier_used') {
    super(code);
    this.name = 'PaymentConflictError';
  }
}
