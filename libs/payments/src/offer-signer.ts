import type { PaymentRequirements } from '@x402/core/types';
import { LRUCache } from 'lru-cache';
import type { Hex } from 'viem';
import type { Settlement } from './ledger';
import type { OfferIssuer } from './offer-issuer';

/** How long a signed offer is reused, so that most unpaid requests need no signature. */
const REUSE_MS = 60_000;
const MAX_KEPT = 1_000;

type Extensions = Readonly<Record<string, unknown>>;
type Issuer = Pick<OfferIssuer, 'offerFor' | 'receiptFor'>;

/**
 * Signs offers and receipts (extension `offer-receipt`, EIP-712), so that a buyer can prove the offer and the payment
 * (https://github.com/x402-foundation/x402, specs/extensions/extension-offer-and-receipt.md). The signing libraries are
 * loaded with the first offer.
 */
export class OfferSigner {
  private issuer: Promise<Issuer> | undefined;
  private readonly offers = new LRUCache<string, Promise<Extensions>>({ max: MAX_KEPT, ttl: REUSE_MS });

  /**
   * @param chainId part of the key's name: `did:pkh:eip155:<chainId>:<address>#key-1`.
   * @param open loads the signing libraries
   */
  constructor(
    privateKey: Hex,
    chainId: number,
    private readonly open: () => Promise<Issuer> = () => openIssuer(privateKey, chainId),
  ) {}

  /**
   * The extensions of a 402 for a resource: the seller's signature of the requirements, valid for `OFFER_VALIDITY_SEC`.
   */
  async offerFor(resource: string, requirement: PaymentRequirements): Promise<Extensions> {
    const key = `${requirement.amount} ${resource}`;
    const signing = this.offers.get(key) ?? this.signOffer(key, resource, requirement);
    return structuredClone(await signing);
  }

  /** The extensions of the receipt of a settled payment, including its transaction. */
  async receiptFor(resource: string, settlement: Settlement): Promise<Extensions> {
    return (await this.opened()).receiptFor(resource, settlement);
  }

  /** A failure is not cached, so the next request tries again. */
  private signOffer(key: string, resource: string, requirement: PaymentRequirements): Promise<Extensions> {
    const signing = this.opened().then((issuer) => issuer.offerFor(resource, requirement));
    this.offers.set(key, signing);
    signing.catch(() => this.offers.delete(key));
    return signing;
  }

  private opened(): Promise<Issuer> {
    this.issuer ??= this.open().catch((error: unknown) => {
      this.issuer = undefined;
      throw error;
    });
    return this.issuer;
  }
}

async function openIssuer(privateKey: Hex, chainId: number): Promise<Issuer> {
  const { OfferIssuer } = await import('./offer-issuer.js');
  return new OfferIssuer(privateKey, chainId);
}
