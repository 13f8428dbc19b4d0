import type { Challenge } from './challenge';

/** A payment that got as far as its settlement and will never settle. */
export interface FailedSettlement {
  readonly reason: string;
  readonly network: string;
  readonly payer: string;
}

/**
 * A paid request without a payment that settles: answered 402 with the challenge. Nothing was charged. It is an answer
 * rather than a fault, thrown for every unpaid request, so it carries no stack: taking one costs as much as the answer.
 */
export class PaymentRequiredError extends Error {
  constructor(
    readonly challenge: Challenge,
    readonly failed?: FailedSettlement,
  ) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(challenge.body.error);
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'PaymentRequiredError';
  }
}

const CONFLICTS = {
  payment_used_for_another_request: 'this payment was already used for another request',
  payment_identifier_used: 'this payment identifier was already used with another payment',
} as const;

/** The authorization, or the payer's identifier, was used for something else: answered 409. Nothing was charged. */
export class PaymentConflictError extends Error {
  constructor(readonly code: keyof typeof CONFLICTS) {
    super(CONFLICTS[code]);
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
