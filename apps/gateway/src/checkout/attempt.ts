import { CHAINS } from '@app/networks';
import {
  PaymentConflictError,
  type Attempt,
  type AuthorizationKey,
  type NewAttempt,
  type Lease,
  type MatchReading,
  type Offer,
  type PaymentLedger,
  type ReadPayload,
  type SellingTerms,
} from '@app/payments';
import type { AttemptWaiter } from './attempt-waiter';
import { paymentInProgressError } from './release';

/** Identifies the request that a payment is bound to: method, resource and body. */
export function fingerprintOf({ method, resource, bodyHash }: Offer): string {
  return [method, resource, bodyHash].join(' ');
}

/** The ledger key of a payment. The network is always the one this service sells on, whatever the payload names. */
export function keyOf({ authorization }: ReadPayload, { network }: SellingTerms): AuthorizationKey {
  return {
    network,
    asset: CHAINS[network].usdc.address.toLowerCase(),
    payer: authorization.from.toLowerCase(),
    nonce: authorization.nonce.toLowerCase(),
  };
}

/** The ledger row for a payment that is presented for the first time. */
export function newAttempt(
  offer: Offer,
  payload: ReadPayload,
  { requirement, payment }: Extract<MatchReading, { ok: true }>,
  terms: SellingTerms,
): NewAttempt {
  return {
    ...keyOf(payload, terms),
    payTo: requirement.payTo,
    amount: BigInt(requirement.amount),
    validBefore: new Date(Number(payload.authorization.validBefore) * 1_000),
    sku: offer.sku,
    fingerprint: fingerprintOf(offer),
    resource: offer.resource,
    payloadDigest: payload.digest,
    paymentIdentifier: payload.identifier ?? null,
    payment,
    requirement,
  };
}

/**
 * Returns the attempt if it belongs to the same payment and the same request. The payment identifier is not compared:
 * the signature alone entitles the caller to the answer.
 * @throws {PaymentConflictError} the authorization was already used for another request, or with another signature.
 */
export function sameRequest(attempt: Attempt, fingerprint: string, payload: ReadPayload): Attempt {
  if (attempt.fingerprint === fingerprint && attempt.payloadDigest === payload.digest) return attempt;
  throw new PaymentConflictError('payment_used_for_another_request');
}

/**
 * Whether the attempt belongs to an unverified payment with the same nonce. Such a row says nothing about this payment.
 */
export function isUnverifiedCopy(attempt: Attempt, payload: ReadPayload): boolean {
  return attempt.state === 'received' && attempt.payloadDigest !== payload.digest;
}

export interface AttemptDeps {
  readonly ledger: Pick<PaymentLedger, 'begin' | 'rebind' | 'find'>;
  readonly waiter: Pick<AttemptWaiter, 'waitForChange'>;
}

/**
 * Finds or creates the row of a payment. If an unverified payment with the same nonce has the row, this payment takes
 * it over: otherwise anybody could lock out the owner by sending a forged copy first. If that copy is being verified
 * right now, we wait for it, at most as long as its lease. `owned` means that this process drives the attempt.
 */
export async function openAttempt(
  { ledger, waiter }: AttemptDeps,
  payment: NewAttempt,
  lease: Lease,
): Promise<{ readonly attempt: Attempt; readonly owned: boolean }> {
  const begun = await ledger.begin(payment, lease);
  if (begun.owned) return begun;
  let { attempt } = begun;
  while (attempt.payloadDigest !== payment.payloadDigest) {
    const rebound = await ledger.rebind(attempt.id, payment, lease);
    if (rebound === 'bound') return { attempt: (await ledger.find(attempt.id)) ?? attempt, owned: false };
    if (rebound) return { attempt: rebound, owned: true };
    const changed = await waiter.waitForChange(attempt, lease.forMs);
    if (!changed) throw paymentInProgressError();
    attempt = changed;
  }
  return { attempt, owned: false };
}
