import { CHAINS, type SellableId } from '@app/networks';
import type { PaymentRequired, PaymentRequirements } from '@x402/core/types';
import { declarePaymentIdentifierExtension, PAYMENT_IDENTIFIER } from '@x402/extensions/payment-identifier';
import { discoveryOf } from './discovery';
import { priceUsd, type Offer } from './offer';

/** Where payments go. */
export interface SellingTerms {
  readonly network: SellableId;
  readonly payTo: `0x${string}`;
}

/**
 * How long a signed authorization stays valid, in seconds: the work, the settlement and a margin fit in it with room
 * for a retry. Clients copy it into `validBefore`.
 */
export const MAX_TIMEOUT_SEC = 120;

/** The payment requirements of an offer as of x402 version 2 (https://github.com/x402-foundation/x402, core v2). */
export function requirementFor(offer: Offer, terms: SellingTerms): PaymentRequirements {
  const { usdc } = CHAINS[terms.network];
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

/** A rendered 402: the header official clients read and the body of behaviour 9.1. */
export interface Challenge {
  /** `PAYMENT-REQUIRED`: standard base64 of the version 2 object. */
  readonly header: string;
  readonly body: ChallengeBody;
  /** The body as it is sent. */
  readonly text: string;
}

type Extensions = Readonly<Record<string, unknown>>;

export interface ChallengeBody {
  readonly error: string;
  readonly code: string;
  readonly sku: string;
  readonly priceUsd: number;
  readonly payTo: string;
  readonly x402Version: 2;
  readonly accepts: readonly PaymentRequirements[];
  readonly resource: { readonly url: string; readonly description: string; readonly mimeType: string };
  readonly extensions: Extensions;
}

/**
 * @param reason why a payment that was sent is refused; without one, this is the first challenge.
 * @param more extensions besides those every paid route has: discovery and the payment identifier.
 */
export function challengeFor(
  offer: Offer,
  terms: SellingTerms,
  reason?: { readonly code: string; readonly error: string },
  more: Extensions = {},
): Challenge {
  const accepts = [requirementFor(offer, terms)];
  const resource = { url: offer.resource, description: offer.description, mimeType: 'application/json' };
  const error = reason?.error ?? 'payment required';
  const extensions = {
    bazaar: discoveryOf(offer),
    [PAYMENT_IDENTIFIER]: declarePaymentIdentifierExtension(false),
    ...more,
  };
  const body: ChallengeBody = {
    error,
    code: reason?.code ?? 'payment_required',
    sku: offer.sku,
    priceUsd: priceUsd(offer.priceAtomic),
    x402Version: 2,
    accepts,
    resource,
    payTo: terms.payTo,
    extensions,
  };
  // As the SDK encodes it, but natively: with the extensions the SDK's own way takes most of the time of a 402.
  const required: PaymentRequired = { x402Version: 2, error, resource, accepts, extensions };
  const header = Buffer.from(JSON.stringify(required)).toString('base64');
  return { header, body, text: JSON.stringify(body) };
}

/**
 * The same challenge for clients of x402 version 1, who know other names and only their own networks
 * (https://github.com/x402-foundation/x402, specs/x402-specification-v1.md).
 */
export function firstVersionBody(body: ChallengeBody) {
  const { error, code, sku, priceUsd: usd, payTo, accepts, resource } = body;
  return {
    error,
    code,
    sku,
    priceUsd: usd,
    payTo,
    x402Version: 1 as const,
    accepts: accepts.map(({ network, amount, ...same }) => ({
      ...same,
      network: firstVersionNetwork(network),
      maxAmountRequired: amount,
      resource: resource.url,
      description: resource.description,
      mimeType: resource.mimeType,
    })),
  };
}

/** The name version 1 has for a network: `base` for `eip155:8453`. */
export function firstVersionNetwork(network: string): string {
  return CHAINS[network as SellableId].v1Name;
}
