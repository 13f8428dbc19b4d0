import {
  challengeFor,
  requirementFor,
  type Challenge,
  type Offer,
  type OfferSigner,
  type SellingTerms,
} from '@app/payments';
import { LRUCache } from 'lru-cache';

/** A challenge is handed out again for this long: a small part of the time that signed terms stay acceptable. */
const REUSE_MS = 30_000;
/** Some five kilobytes each. */
const MAX_KEPT = 1_000;

type Reason = Parameters<typeof challengeFor>[2];

/** The challenges of everything sold. Those that only name a price are made once and kept ready to send. */
export class Challenges {
  private readonly ready = new LRUCache<string, Promise<Challenge>>({ max: MAX_KEPT, ttl: REUSE_MS });

  constructor(
    private readonly terms: SellingTerms,
    /** Null when offers are not signed. */
    private readonly signer: Pick<OfferSigner, 'offerFor'> | null,
  ) {}

  /** @param reason why a payment that was sent is refused. */
  async of(offer: Offer, reason?: Reason): Promise<Challenge> {
    if (reason) return this.make(offer, reason);
    const key = `${offer.method} ${offer.resource} ${offer.sku} ${offer.priceAtomic}`;
    const known = this.ready.get(key);
    if (known) return known;
    const made = this.make(offer);
    this.ready.set(key, made);
    made.catch(() => this.ready.delete(key)); // its callers get the error
    return made;
  }

  private async make(offer: Offer, reason?: Reason): Promise<Challenge> {
    if (!this.signer || !offer.signed) return challengeFor(offer, this.terms, reason);
    const signed = await this.signer.offerFor(offer.resource, requirementFor(offer, this.terms));
    return challengeFor(offer, this.terms, reason, signed);
  }
}
