import type { PaymentRequirements } from '@x402/core/types';
import { LRUCache } from 'lru-cache';
import type { Hex } from 'viem';
import type { Settlement } from './ledger';
import type { OfferIssuer } from './offer-issuer';

/** A signed offer is handed out again for this long, so that unpaid requests cost a signature only now and then. */
const REUSE_MS = 60_000;
const MAX_KEPT = 1_000;

type Extensions = Readonly<Record<string, unknown>>;

/**
 * Signs offers and receipts (extension `offer-receipt`, EIP-712): a buyer can show what was asked of him and that he
 * paid it (https://github.com/x402-foundation/x402, specs/extensions/extension-offer-and-receipt.md).
 * The libraries that sign are read with the first offer.
 */
export class OfferSigner {
  private issuer: Promise<OfferIssuer> | undefined;
  private readonly offers = new LRUCache<string, Promise<Extensions>>({ max: MAX_KEPT, ttl: REUSE_MS });

  /** @param chainId names the key: `did:pkh:eip155:<chainId>:<address>#key-1`. */
  constructor(
    private readonly privateKey: Hex,
    private readonly chainId: number,
  ) {}

  /** Extensions of a 402 for a resource: our signature under the requirement, good for `OFFER_VALIDITY_SEC`. */
  async offerFor(resource: string, requirement: PaymentRequirements): Promise<Extensions> {
    const key = `${requirement.amount} ${resource}`;
    const signing = this.offers.get(key) ?? this.signOffer(resource, requirement);
    this.offers.set(key, signing, { noUpdateTTL: true });
    return structuredClone(await signing);
  }

  /** Extensions of the receipt of a settled payment, with the transaction in it. */
  async receiptFor(resource: string, settlement: Settlement): Promise<Extensions> {
    return (await this.opened()).receiptFor(resource, settlement);
  }

  private async signOffer(resource: string, requirement: PaymentRequirements): Promise<Extensions> {
    return (await this.opened()).offerFor(resource, requirement);
  }

  private opened(): Promise<OfferIssuer> {
    this.issuer ??= this.open();
    return this.issuer;
  }

  private async open(): Promise<OfferIssuer> {
    const { OfferIssuer } = await import('./offer-issuer.js');
    return new OfferIssuer(this.privateKey, this.chainId);
  }
}
