import { encodePaymentRequiredHeader } from '@x402/core/http';
import type { PaymentRequirements } from '@x402/core/types';
import { NETWORKS, type NetworkId } from './networks';
import { priceUsd, type Offer } from './price-list';

/** Where payments go. */
export interface SellingTerms {
  readonly network: NetworkId;
  readonly payTo: `0x${string}`;
}

/**
 * How long a signed authorization stays valid, in seconds: the work, the settlement and a margin fit in it with room
 * for a retry. Clients copy it into `validBefore`.
 */
export const MAX_TIMEOUT_SEC = 120;

/** The payment an offer asks for, in the shape of x402 version 2 (https://github.com/x402-foundation/x402, core v2). */
export function requirementFor(offer: Offer, terms: SellingTerms): PaymentRequirements {
  const { usdc } = NETWORKS[terms.network];
  return {
    scheme: 'exact',
    network: terms.network,
    amount: offer.priceAtomic.toString(),
    asset: usdc.address,
    payTo: terms.payTo,
    maxTimeoutSeconds: MAX_TIMEOUT_SEC,
    extra: { name: usdc.name, version: usdc.version },
  };
}

/** A rendered 402: the header official clients read and the body of spec 2.9. */
export interface Challenge {
  /** `PAYMENT-REQUIRED`: standard base64 of the version 2 object. */
  readonly header: string;
  readonly body: ChallengeBody;
}

export interface ChallengeBody {
  readonly error: string;
  readonly code: string;
  readonly sku: string;
  readonly priceUsd: number;
  readonly x402Version: 2;
  readonly accepts: readonly PaymentRequirements[];
  readonly resource: { readonly url: string; readonly description: string; readonly mimeType: string };
  readonly payTo: string;
}

/** @param reason why a payment that was sent is refused; without one, a payment is asked for the first time. */
export function challengeFor(offer: Offer, terms: SellingTerms, reason?: { code: string; error: string }): Challenge {
  const accepts = [requirementFor(offer, terms)];
  const resource = { url: offer.resource, description: offer.description, mimeType: 'application/json' };
  const error = reason?.error ?? 'payment required';
  return {
    header: encodePaymentRequiredHeader({ x402Version: 2, error, resource, accepts }),
    body: {
      error,
      code: reason?.code ?? 'payment_required',
      sku: offer.sku,
      priceUsd: priceUsd(offer.priceAtomic),
      x402Version: 2,
      accepts,
      resource,
      payTo: terms.payTo,
    },
  };
}
