import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';

/** States that end by themselves or by the reconciler. */
export const OPEN_STATES = ['received', 'verified', 'working', 'answer_stored', 'settling', 'settle_unknown'] as const;

/**
 * Life of one authorization. `received → verified → working → answer_stored → settling → settled`; the exits are
 * `rejected`, `work_failed` and `settle_failed` (nothing was charged) and `settle_unknown` (found out on the chain).
 * What was `settled` and is no more, because its block vanished or its facilitator lied, is settled again, or `lost`.
 */
export const ATTEMPT_STATES = [...OPEN_STATES, 'settled', 'rejected', 'work_failed', 'settle_failed', 'lost'] as const;
export type AttemptState = (typeof ATTEMPT_STATES)[number];

/** What is sold: a text, and the stored report that it shows, where it shows one. */
export interface Content {
  readonly body: string;
  readonly subject?: Subject;
}

/** A stored report. */
export interface Subject {
  /** Name of the host, A-labels. */
  readonly domain: string;
  /** Of the stored text, hex. */
  readonly sha256: string;
}

/** What a settled payment is proved by. */
export interface Settlement {
  /** Transaction hash. */
  readonly transaction: string;
  readonly network: string;
  readonly payer: string;
  /** Extensions of the receipt, such as the seller's signature: kept, so that a replay shows the same receipt. */
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** What identifies an authorization: addresses and nonce in lower case. */
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
  /** Method, resource and body hash the payment is bound to. */
  readonly fingerprint: string;
  readonly resource: string;
  readonly payloadDigest: string;
  /** The payer's own name for the purchase (`payment-identifier`, `Idempotency-Key`), or null. */
  readonly paymentIdentifier: string | null;
  readonly payment: PaymentPayload;
  readonly requirement: PaymentRequirements;
}

export interface Attempt extends NewAttempt {
  readonly id: string;
  readonly state: AttemptState;
  readonly reason: string | null;
  /** What the payment buys, once there is it. */
  readonly answer: Content | null;
  readonly settlement: Settlement | null;
  /** Whether the chain is still to be read about how it ended. */
  readonly watched: boolean;
  readonly createdAt: Date;
  /** When it reached its state. */
  readonly reachedAt: Date;
}

/** The right to drive one attempt until a time; then it passes to the process that takes the attempt over. */
export interface Lease {
  readonly owner: string;
  readonly forMs: number;
}

/** What a transition may record besides the state. */
export interface Change {
  /** A state passed on the way: both transitions are one statement, and both are in the history. */
  readonly through?: AttemptState;
  readonly reason?: string;
  readonly answer?: Content;
  readonly settlement?: Settlement;
}

/**
 * Postgres behind a port. Each method is one guarded statement, so that two processes never both succeed, and each
 * transition appends to the history.
 */
export interface PaymentLedger {
  /** Inserts the attempt as `received` under the lease, or returns the row that is there. */
  begin(payment: NewAttempt, lease: Lease): Promise<{ readonly attempt: Attempt; readonly owned: boolean }>;
  find(id: string): Promise<Attempt | undefined>;
  findByAuthorization(key: AuthorizationKey): Promise<Attempt | undefined>;
  /**
   * Moves an attempt the lease owner drives from the state it was last seen in; undefined when it is elsewhere by now.
   * @throws {PaymentConflictError} the payer's identifier already names another payment that got further than `received`
   */
  move(attempt: Attempt, lease: Lease, to: AttemptState, change?: Change): Promise<Attempt | undefined>;
  /**
   * Takes an attempt without a driver (lease over or given up) into `to`; undefined when it has one, or is bound to another
   * payment by now.
   * @param identifier the payer's name for the purchase from now on, where it starts over; else it keeps the one it has
   */
  takeOver(
    attempt: Pick<Attempt, 'id' | 'payloadDigest'>,
    lease: Lease,
    from: readonly AttemptState[],
    to: AttemptState,
    identifier?: string | null,
  ): Promise<Attempt | undefined>;
  /**
   * Gives an attempt whose payment was never verified to another payment under the same nonce: who forges a copy must not
   * keep the owner out. Undefined while it has a driver; `bound` when it was verified.
   */
  rebind(id: string, payment: NewAttempt, lease: Lease): Promise<Attempt | 'bound' | undefined>;
  /**
   * Corrects how a settlement ended, as the chain has it; undefined when the attempt is elsewhere by now.
   * @param to `settled` again, with another transaction, or one of the states after it
   */
  revise(attempt: Attempt, to: AttemptState, change: Change): Promise<Attempt | undefined>;
  /**
   * Ends the watch over an attempt, or puts the next reading off: the pause grows with the age of its state. With the watch
   * over an attempt that failed its answer goes, which is never released.
   */
  watch(attempt: Attempt, over: boolean): Promise<void>;
}

/** Why an attempt left `settled`: the transfer that was read, or said to be there, is not on the chain. */
export const TRANSFER_VANISHED = 'transfer_vanished';
/** Why an attempt is `settled` once more in its history: the chain names another transaction. */
export const TRANSACTION_CORRECTED = 'transaction_corrected';

/** Which attempts that ended without a charge are forgotten: the older ones, by what they were last, and all beyond `kept`. */
export interface Forgettable {
  /** Those that no facilitator verified, when they ended before this. */
  readonly unverified: Date;
  /** Those that were verified, when they ended before this. */
  readonly verified: Date;
  /** So many at most stay, the newest. */
  readonly kept: number;
}

/** Attempts that have no driver any more and must be ended. */
export interface OpenAttempts {
  /** Attempts whose settlement is due: an answer is stored, the lease is over, and the last try is long enough ago. */
  due(limit: number): Promise<readonly Attempt[]>;
  /** Attempts that are `settled` or `settle_failed` and may have to be corrected, as their next reading of the chain is due. */
  watched(limit: number): Promise<readonly Attempt[]>;
  /** Ends attempts without an answer whose authorization ended before `before`, uncharged; returns how many. */
  closeExpired(before: Date): Promise<number>;
  /** Forgets attempts that ended without a charge, with their history; returns how many. What moved money always stays. */
  forgetUncharged(which: Forgettable): Promise<number>;
}
