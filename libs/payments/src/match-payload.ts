import { CHAINS } from '@app/networks';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import { requirementFor, type SellingTerms } from './challenge';
import type { Offer } from './offer';
import type { Authorization, ReadPayload } from './payload';

export type MatchReading =
  | {
      readonly ok: true;
      /** The payment, converted to version 2 for verification and settlement. */
      readonly payment: PaymentPayload;
      /** The terms that the payment matches: today's, or those of a former price that is still accepted. */
      readonly requirement: PaymentRequirements;
    }
  | ({ readonly ok: false } & PaymentFault);

/**
 * Whether a payment matches this offer. The facilitator checks what the signature covers; this check rejects payments
 * that could never settle or belong to other requests. The fault states today's terms. Expiry is not checked here,
 * because a settled payment may be presented again after it expired ({@link validityFault}).
 * @param now decides which former prices are still accepted
 */
export function matchPayload(payload: ReadPayload, offer: Offer, terms: SellingTerms, now: Date): MatchReading {
  const today = requirementFor(offer, terms);
  const fault = faultOf(payload, offer, today);
  if (!fault) return matched(payload, offer, today);
  const honoured = offer.formerPrices
    .filter(({ until }) => until > now)
    .map(({ atomic }) => requirementFor({ ...offer, priceAtomic: atomic }, terms))
    .find((requirement) => !faultOf(payload, offer, requirement));
  return honoured ? matched(payload, offer, honoured) : { ok: false, ...fault };
}

function matched(payload: ReadPayload, offer: Offer, requirement: PaymentRequirements): MatchReading {
  const { signature, authorization } = payload;
  const resource = { url: offer.resource, description: offer.description, mimeType: 'application/json' };
  const signed = { signature, authorization: { ...authorization } };
  return { ok: true, requirement, payment: { x402Version: 2, resource, accepted: requirement, payload: signed } };
}

function faultOf(payload: ReadPayload, offer: Offer, requirement: PaymentRequirements): PaymentFault | undefined {
  return termsFault(payload, requirement) ?? bindingFault(payload, offer);
}

/** Why a payment is refused: a stable code and a sentence for the payer. */
export interface PaymentFault {
  readonly code:
    | 'scheme_unsupported'
    | 'network_unsupported'
    | 'asset_mismatch'
    | 'recipient_mismatch'
    | 'amount_mismatch'
    | 'resource_mismatch'
    | 'authorization_expired'
    | 'authorization_not_yet_valid'
    | 'authorization_valid_too_long'
    | 'authorization_too_short';
  readonly error: string;
}

function termsFault(payload: ReadPayload, requirement: PaymentRequirements): PaymentFault | undefined {
  const network = CHAINS[requirement.network as keyof typeof CHAINS];
  const offered: readonly string[] = payload.version === 1 ? [network.v1Name, network.id] : [network.id];
  const same = (a: string | undefined, b: string): boolean => a === undefined || a.toLowerCase() === b.toLowerCase();
  if (payload.scheme !== requirement.scheme)
    return { code: 'scheme_unsupported', error: `the scheme must be ${requirement.scheme}` };
  if (!offered.includes(payload.network))
    return { code: 'network_unsupported', error: `the network must be ${requirement.network}` };
  if (!same(payload.accepted?.asset, requirement.asset))
    return { code: 'asset_mismatch', error: 'the payment is in another asset' };
  if (!same(payload.accepted?.payTo, requirement.payTo) || !same(payload.authorization.to, requirement.payTo)) {
    return { code: 'recipient_mismatch', error: 'the payment goes to the wrong address' };
  }
  if (
    (payload.accepted && payload.accepted.amount !== requirement.amount) ||
    payload.authorization.value !== requirement.amount
  ) {
    return { code: 'amount_mismatch', error: `the amount must be exactly ${requirement.amount} atomic units` };
  }
  return undefined;
}

/** A payment for one request must not buy another one of the same price. */
function bindingFault(payload: ReadPayload, offer: Offer): PaymentFault | undefined {
  return payload.resource === undefined || payload.resource === offer.resource
    ? undefined
    : { code: 'resource_mismatch', error: 'the payment is for another resource' };
}

/**
 * Clients sign at most `maxTimeoutSeconds` ahead. No client needs a much later expiry, and it would be a risk for the
 * payer.
 */
const LONGEST_AHEAD_SEC = 600;

/**
 * Whether an authorization is valid for new work.
 * @param neededMs how long verification, work and settlement may take from now on
 */
export function validityFault(
  { validAfter, validBefore }: Pick<Authorization, 'validAfter' | 'validBefore'>,
  maxTimeoutSeconds: number,
  now: Date,
  neededMs: number,
): PaymentFault | undefined {
  const leftMs = Number(validBefore) * 1_000 - now.getTime();
  if (leftMs <= 0) return { code: 'authorization_expired', error: 'the authorization has expired' };
  if (Number(validAfter) * 1_000 > now.getTime()) {
    return { code: 'authorization_not_yet_valid', error: 'the authorization is not valid yet' };
  }
  if (leftMs > (maxTimeoutSeconds + LONGEST_AHEAD_SEC) * 1_000) {
    const error = `sign the authorization for at most ${maxTimeoutSeconds} seconds`;
    return { code: 'authorization_valid_too_long', error };
  }
  if (leftMs < neededMs) {
    const error = 'the authorization expires before the payment can be settled';
    return { code: 'authorization_too_short', error };
  }
  return undefined;
}
