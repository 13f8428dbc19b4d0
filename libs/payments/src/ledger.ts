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
}

/** An authorization presented for a request. Addresses and nonce are lower-cased: with the network they identify it. */
export interface Claim {
  readonly network: string;
  readonly asset: string;
  readonly payer: string;
  readonly nonce: string;
  readonly payTo: string;
  readonly amount: bigint;
  readonly validBefore: Date;
  readonly sku: string;
  /** Method, resource and body hash the payment is bound to. */
  readonly fingerprint: string;
  readonly resource: string;
  readonly payloadDigest: string;
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
}

/** The right to drive one attempt until a time; it passes to whoever takes the attempt over after that. */
export interface Lease {
  readonly owner: string;
  readonly forMs: number;
}

/** What a transition may record besides the state. */
export interface Change {
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
  /** Moves an attempt the lease owner drives; undefined when it is elsewhere by now. */
  move(id: string, lease: Lease, from: AttemptState, to: AttemptState, change?: Change): Promise<Attempt | undefined>;
  /** Takes an attempt that nobody drives (lease over or given up) into `to`; undefined when somebody does. */
  takeOver(id: string, lease: Lease, from: readonly AttemptState[], to: AttemptState): Promise<Attempt | undefined>;
}
