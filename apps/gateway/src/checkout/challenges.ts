import {
  challengeFor,
  requirementFor,
  type Challenge,
  type Offer,
  type OfferSigner,
  type SellingTerms,
} from '@app/payments';
import { LRUCache } from 'lru-cache';

/** How long a challenge is reused. It is short compared with the validity of signed terms. */
const REUSE_MS = 30_000;
/** Each takes about five kilobytes. */
const MAX_KEPT = 1_000;

type Reason = Parameters<typeof challengeFor>[2];

/** Builds the 402 challenges of all products. Challenges that only name a price are cached. */
export class Challenges {
  private readonly ready = new LRUCache<string, Promise<Challenge>>({ max: MAX_KEPT, ttl: REUSE_MS });

  constructor(
    private readonly terms: SellingTerms,
    /** Null if offers are not signed. */
    private readonly signer: Pick<OfferSigner, 'offerFor'> | null,
  ) {}

  /** @param reason why the payment that was sent is refused */
  async of(offer: Offer, reason?: Reason): Promise<Challenge> {
    if (reason) return this.make(offer, reason);
    const key = `${offer.method} ${offer.resource} ${offer.sku} ${offer.priceAtomic}`;
    const known = this.ready.get(key);
    if (known) return known;
    const made = this.make(offer);
    this.ready.set(key, made);
    made.catch(() => this.ready.delete(key)); // the callers handle the error
    return made;
  }

  private async make(offer: Offer, reason?: Reason): Promise<Challenge> {
    if (!this.signer || !offer.signed) return challengeFor(offer, this.terms, reason);
    const signed = await this.signer.offerFor(offer.resource, requirementFor(offer, this.terms));
    return challengeFor(offer, this.terms, reason, signed);
  }
}
