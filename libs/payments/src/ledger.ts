import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';

/**
 * Life of one authorization. `received → verified → working → answer_stored → settling → settled`; the exits are
 * `rejected`, `work_failed` and `settle_failed` (nothing was charged) and `settle_unknown` (found out on the chain).
 */
export type AttemptState =
  | 'received'
  | 'verified'
  | 'working'
  | 'answer_stored'
  | 'settling'
  | 'settled'
  | 'rejected'
  | 'work_failed'
  | 'settle_failed'
  | 'settle_unknown';

/** What a settled payment is proved by. */
export interface Settlement {
  /** Transaction hash. */
  readonly transaction: string;
  readonly network: string;
  readonly payer: string;
  /** Extensions of the receipt, our signature for one: kept, so that a replay shows the same receipt. */
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
export interface Claim extends AuthorizationKey {
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

export interface Attempt extends Claim {
  readonly id: string;
  readonly state: AttemptState;
  readonly reason: string | null;
  /** The stored body, once there is one. */
  readonly answer: string | null;
  readonly settlement: Settlement | null;
  readonly createdAt: Date;
  /** When it reached its state. */
  readonly reachedAt: Date;
}

/** The right to drive one attempt until a time; it passes to whoever takes the attempt over after that. */
export interface Lease {
  readonly owner: string;
  readonly forMs: number;
}

/** What a transition may record besides the state. */
export interface Change {
  /** A state passed on the way: both transitions are one statement, and both are in the history. */
  readonly through?: AttemptState;
  readonly reason?: string;
  readonly answer?: string;
  readonly settlement?: Settlement;
}

/**
 * Postgres behind a port. Each method is one guarded statement, so that two processes never both succeed, and each
 * transition appends to the history.
 */
export interface PaymentLedger {
  /** Inserts the claim as `received` under the lease, or returns the row that is there. */
  claim(claim: Claim, lease: Lease): Promise<{ readonly attempt: Attempt; readonly owned: boolean }>;
  find(id: string): Promise<Attempt | undefined>;
  findByAuthorization(key: AuthorizationKey): Promise<Attempt | undefined>;
  /**
   * Moves an attempt the lease owner drives from the state it was last seen in; undefined when it is elsewhere by now.
   * @throws {PaymentConflictError} the payer's identifier already names another payment that got further than `received`
   */
  move(attempt: Attempt, lease: Lease, to: AttemptState, change?: Change): Promise<Attempt | undefined>;
  /** Takes an attempt that nobody drives (lease over or given up) into `to`; undefined when somebody does. */
  takeOver(id: string, lease: Lease, from: readonly AttemptState[], to: AttemptState): Promise<Attempt | undefined>;
}

/** What nobody drives any more and somebody must end. */
export interface OpenAttempts {
  /** Attempts whose settlement is due: an answer is stored, the lease is over, and the last try is long enough ago. */
  due(limit: number): Promise<readonly Attempt[]>;
  /** Ends attempts without an answer whose authorization ended before `before`, uncharged; returns how many. */
  closeExpired(before: Date): Promise<number>;
}
