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

/** What a payment is bound to: method, resource and body. */
export function fingerprintOf({ method, resource, bodyHash }: Offer): string {
  return [method, resource, bodyHash].join(' ');
}

/** The authorization of a payment payload, on the network of this service whatever network the payload names. */
export function keyOf({ authorization }: ReadPayload, { network }: SellingTerms): AuthorizationKey {
  return {
    network,
    asset: CHAINS[network].usdc.address.toLowerCase(),
    payer: authorization.from.toLowerCase(),
    nonce: authorization.nonce.toLowerCase(),
  };
}

/** The ledger row of a payment that is presented for the first time. */
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
 * The attempt, if it is of this very payment and request. An identifier is not asked for: who holds the signature gets
 * the answer.
 * @throws {PaymentConflictError} the authorization was presented for another request, or under another signature.
 */
export function sameRequest(attempt: Attempt, fingerprint: string, payload: ReadPayload): Attempt {
  if (attempt.fingerprint === fingerprint && attempt.payloadDigest === payload.digest) return attempt;
  throw new PaymentConflictError('payment_used_for_another_request');
}

/** Whether an attempt is of another payment under the same nonce and not verified: it says nothing about this one. */
export function isUnverifiedCopy(attempt: Attempt, payload: ReadPayload): boolean {
  return attempt.state === 'received' && attempt.payloadDigest !== payload.digest;
}

export interface AttemptDeps {
  readonly ledger: Pick<PaymentLedger, 'begin' | 'rebind' | 'find'>;
  readonly waiter: Pick<AttemptWaiter, 'waitForChange'>;
}

/**
 * The row of a payment, which may be taken from a payment under the same nonce that was never verified: who sends a
 * forged copy first must not keep the owner out. A copy that is being verified now is waited for, as long as the lease. `owned` when this process drives it.
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
