import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';

/** States that continue on their own or through the reconciler. */
export const OPEN_STATES = ['received', 'verified', 'working', 'answer_stored', 'settling', 'settle_unknown'] as const;

/**
 * The states of an authorization: `received → verified → working → answer_stored → settling → settled`. The exits are
 * `rejected`, `work_failed` and `settle_failed` (nothing was charged) and `settle_unknown` (resolved by reading the
 * chain). If an attempt was `settled` but its block vanished or its facilitator lied, it is settled again or becomes
 * `lost`.
 */
export const ATTEMPT_STATES = [...OPEN_STATES, 'settled', 'rejected', 'work_failed', 'settle_failed', 'lost'] as const;
export type AttemptState = (typeof ATTEMPT_STATES)[number];

/** The sold text, and the stored report it shows, if any. */
export interface Content {
  readonly body: string;
  readonly subject?: Subject;
}

/** A stored report. */
export interface Subject {
  /** Host name in A-labels. */
  readonly domain: string;
  /** Hash of the stored text, in hex. */
  readonly sha256: string;
}

/** The proof of a settled payment. */
export interface Settlement {
  /** Transaction hash. */
  readonly transaction: string;
  readonly network: string;
  readonly payer: string;
  /**
   * Extensions of the receipt, such as the seller's signature. They are stored so that a replay returns the same
   * receipt.
   */
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** The identity of an authorization, with addresses and nonce in lower case. */
export interface AuthorizationKey {
  readonly network: string;
  readonly asset: string;
  readonly payer: string;
  readonly nonce: string;
}

/** An authorization presented for a request. */
export interface NewAttempt extends AuthorizationKey {
  readonly payTo: string;
  readonly amount: bigint;
  readonly validBefore: Date;
  readonly sku: string;
  /** Method, resource and body hash that the payment is bound to. */
  readonly fingerprint: string;
  readonly resource: string;
  readonly payloadDigest: string;
  /** The payer's name for the purchase (`payment-identifier`, `Idempotency-Key`), or null. */
  readonly paymentIdentifier: string | null;
  readonly payment: PaymentPayload;
  readonly requirement: PaymentRequirements;
}

export interface Attempt extends NewAttempt {
  readonly id: string;
  readonly state: AttemptState;
  readonly reason: string | null;
  /** The bought answer, once it exists. */
  readonly answer: Content | null;
  readonly settlement: Settlement | null;
  /** Whether its outcome must still be checked on the chain. */
  readonly watched: boolean;
  readonly createdAt: Date;
  /** When the attempt reached its state. */
  readonly reachedAt: Date;
}

/** The right to drive an attempt until a given time. After that, another process may take over. */
export interface Lease {
  readonly owner: string;
  readonly forMs: number;
}

/** Data that a transition records in addition to the state. */
export interface Change {
  /** An intermediate state: both transitions happen in one statement, and both are in the history. */
  readonly through?: AttemptState;
  readonly reason?: string;
  readonly answer?: Content;
  readonly settlement?: Settlement;
}

/**
 * The payment ledger in Postgres. Each method is one guarded statement, so that two processes never both succeed, and
 * each transition is appended to the history.
 */
export interface PaymentLedger {
  /** Inserts the attempt as `received` under the lease, or returns the existing row. */
  begin(payment: NewAttempt, lease: Lease): Promise<{ readonly attempt: Attempt; readonly owned: boolean }>;
  find(id: string): Promise<Attempt | undefined>;
  findByAuthorization(key: AuthorizationKey): Promise<Attempt | undefined>;
  /**
   * Moves an attempt that the lease owner drives to another state; undefined if its state is no longer the given one.
   * @throws {PaymentConflictError} the payer's identifier already names another payment that is past `received`
   */
  move(attempt: Attempt, lease: Lease, to: AttemptState, change?: Change): Promise<Attempt | undefined>;
  /**
   * Takes over an attempt without a driver (its lease expired or was released) and moves it to `to`. Undefined if it
   * has a driver or now belongs to another payment.
   * @param identifier the payer's new name for the purchase if the attempt starts over; otherwise it keeps its name
   */
  takeOver(
    attempt: Pick<Attempt, 'id' | 'payloadDigest'>,
    lease: Lease,
    from: readonly AttemptState[],
    to: AttemptState,
    identifier?: string | null,
  ): Promise<Attempt | undefined>;
  /**
   * Gives an attempt whose payment was never verified to another payment with the same nonce, so that a forged copy
   * cannot lock out the owner. Undefined while it has a driver; `bound` if it was verified.
   */
  rebind(id: string, payment: NewAttempt, lease: Lease): Promise<Attempt | 'bound' | undefined>;
  /**
   * Corrects the outcome of a settlement to match the chain; undefined if the attempt has changed meanwhile.
   * @param to `settled` again, with another transaction, or a later state
   */
  revise(attempt: Attempt, to: AttemptState, change: Change): Promise<Attempt | undefined>;
  /**
   * Ends the watch on an attempt, or schedules its next check; the interval grows with the age of its state. When the
   * watch on a failed attempt ends, its answer is deleted, because it can never be released.
   */
  watch(attempt: Attempt, over: boolean): Promise<void>;
}

/** Why an attempt left `settled`: its transfer is no longer on the chain. */
export const TRANSFER_VANISHED = 'transfer_vanished';
/** Why the history contains `settled` twice: the transfer is in another transaction. */
export const TRANSACTION_CORRECTED = 'transaction_corrected';

/** Which uncharged attempts are deleted: old ones, depending on their state, and all beyond `kept`. */
export interface Forgettable {
  /** Unverified attempts that ended before this time. */
  readonly unverified: Date;
  /** Verified attempts that ended before this time. */
  readonly verified: Date;
  /** How many of the newest are kept. */
  readonly kept: number;
}

/** Attempts that no longer have a driver and must be completed. */
export interface OpenAttempts {
  /**
   * Attempts whose settlement is due: the answer is stored, the lease has expired, and the last try was long enough
   * ago.
   */
  due(limit: number): Promise<readonly Attempt[]>;
  /** `settled` or `settle_failed` attempts whose next check on the chain is due. */
  watched(limit: number): Promise<readonly Attempt[]>;
  /** Ends attempts without an answer whose authorization expired before `before`, uncharged; returns how many. */
  closeExpired(before: Date): Promise<number>;
  /** Deletes uncharged attempts with their history; returns how many. Attempts that moved money are always kept. */
  forgetUncharged(which: Forgettable): Promise<number>;
}
