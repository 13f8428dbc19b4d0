import { CHAINS, type SellableId } from '@app/networks';
import type { PaymentRequired, PaymentRequirements } from '@x402/core/types';
import { declarePaymentIdentifierExtension, PAYMENT_IDENTIFIER } from '@x402/extensions/payment-identifier';
import { discoveryOf } from './discovery';
import { priceUsd, type Offer } from './offer';
import { atomicToUsd } from './usdc';

/** The recipient and network of payments. */
export interface SellingTerms {
  readonly network: SellableId;
  readonly payTo: `0x${string}`;
}

/**
 * How long a signed authorization must stay valid, in seconds: enough for the work, the settlement, a margin and a
 * retry. Clients copy it into `validBefore`.
 */
export const MAX_TIMEOUT_SEC = 120;

/** The payment requirements of an offer in x402 version 2 (https://github.com/x402-foundation/x402, core v2). */
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

/** A rendered 402: the header that official clients read, and the body of behaviour 9.1. */
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
 * @param reason why the payment that was sent is refused; missing in a first challenge
 * @param more extensions in addition to those of every paid route (discovery and payment identifier)
 */
export function challengeFor(
  offer: Offer,
  terms: SellingTerms,
  reason?: { readonly code: string; readonly error: string },
  more: Extensions = {},
): Challenge {
  const accepts = [requirementFor(offer, terms)];
  const resource = { url: offer.resource, description: offer.description, mimeType: 'application/json' };
  const price = atomicToUsd(offer.priceAtomic);
  const error = reason?.error ?? `Payment required: ${price} USDC. Sign one of \`accepts\` and retry.`;
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
  // The same encoding as the SDK's, but with native functions: with the extensions, the SDK's encoder takes most of the
  // time of a 402.
  const required: PaymentRequired = { x402Version: 2, error, resource, accepts, extensions };
  const header = Buffer.from(JSON.stringify(required)).toString('base64');
  return { header, body, text: JSON.stringify(body) };
}

/**
 * The challenge for x402 version 1 clients, which use other field names and know only their own network names
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

/** The version 1 name of a network: `base` for `eip155:8453`. */
export function firstVersionNetwork(network: string): string {
  return CHAINS[network as SellableId].v1Name;
}
