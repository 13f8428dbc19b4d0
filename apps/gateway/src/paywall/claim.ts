import {
  NETWORKS,
  PaymentConflictError,
  type Attempt,
  type AuthorizationKey,
  type Claim,
  type MatchReading,
  type Offer,
  type PaymentProof,
  type SellingTerms,
} from '@app/payments';

/** What a payment is bound to: method, resource and body. */
export function fingerprintOf({ method, resource, bodyHash }: Offer): string {
  return [method, resource, bodyHash].join(' ');
}

/** The authorization of a proof on the network we sell on, whatever the proof says about itself. */
export function keyOf({ authorization }: PaymentProof, { network }: SellingTerms): AuthorizationKey {
  return {
    network,
    asset: NETWORKS[network].usdc.address.toLowerCase(),
    payer: authorization.from.toLowerCase(),
    nonce: authorization.nonce.toLowerCase(),
  };
}

/** The ledger row of a payment that is presented for the first time. */
export function newClaim(
  offer: Offer,
  proof: PaymentProof,
  { requirement, payment }: Extract<MatchReading, { ok: true }>,
  terms: SellingTerms,
): Claim {
  return {
    ...keyOf(proof, terms),
    payTo: requirement.payTo,
    amount: BigInt(requirement.amount),
    validBefore: new Date(Number(proof.authorization.validBefore) * 1_000),
    sku: offer.sku,
    fingerprint: fingerprintOf(offer),
    resource: offer.resource,
    payloadDigest: proof.digest,
    paymentIdentifier: proof.identifier ?? null,
    payment,
    requirement,
  };
}

/**
 * The attempt, if it is of this very payment and request. An identifier is not asked for: who holds the signature gets
 * the answer.
 * @throws {PaymentConflictError} the authorization was presented for another request, or under another signature.
 */
export function sameRequest(attempt: Attempt, fingerprint: string, proof: PaymentProof): Attempt {
  if (attempt.fingerprint === fingerprint && attempt.payloadDigest === proof.digest) return attempt;
  throw new PaymentConflictError('payment_used_for_another_request');
}
