import type { OptOuts } from '@app/limits';
import { PaymentUnavailableError, type Offer, type PaymentProof, type ProofReading } from '@app/payments';
import type { SubscriptionRepository } from '@app/persistence';
import type { HostName } from '@app/reports';
import { keyHash, purchasedKey } from '@app/subscriptions';
import { hostArgument, memberOf } from '../http/arguments';
import type { PaidOperation } from '../paywall/paid-operation';
import type { Job, Work } from '../paywall/paywall.service';
import type { Sale } from '../paywall/release';
import { OptedOutError } from '../probes/probe-errors';
import { subscription, type SubscriptionTerms } from './subscription-offer';
import { subscriptionState } from './subscription-state';

export interface SubscriptionSaleArgs {
  readonly host: HostName;
  /** The payment presented for it: the key and the subscriber come out of it. */
  readonly proof: ProofReading | undefined;
}

export interface SubscriptionSaleParts {
  readonly subscriptions: Pick<SubscriptionRepository, 'purchase' | 'showKey'>;
  readonly optOuts: Pick<OptOuts, 'covers'>;
  readonly terms: SubscriptionTerms;
  readonly refreshesPerDay: number;
  /** Makes the keys; asked for once per sale. */
  readonly secret: () => Promise<string>;
  readonly baseUrl: string;
}

/**
 * Sells subscriptions. The paywall keeps what it sells, in plain text and for replays, so what it sells here is the
 * answer without the key; {@link withKey} adds the key when the answer is released, which can always be made again from
 * the payment. Until the payment is settled the subscription is found by nobody (persistence), so that a
 * refused settlement leaves no free one to the wallet that signed it.
 */
export class SubscriptionSale implements PaidOperation<SubscriptionSaleArgs> {
  constructor(private readonly parts: SubscriptionSaleParts) {}

  parse(raw: unknown): SubscriptionSaleArgs {
    return { host: hostArgument(memberOf(raw, 'domain')), proof: undefined };
  }

  offer({ host }: SubscriptionSaleArgs): Offer {
    return subscription(this.parts.terms, this.parts.baseUrl, host);
  }

  job(args: SubscriptionSaleArgs): Job {
    return { admit: () => this.admit(args), work: () => this.work(args) };
  }

  /**
   * The answer with its key, the first time it is released. After that who presents the payment may have read it from
   * the chain. The key of a purchase that was given a name is shown to who knows the name, and to nobody else.
   */
  async withKey(sale: Sale, { proof }: SubscriptionSaleArgs): Promise<Sale> {
    const { digest, identifier = null } = presented(proof);
    const key = purchasedKey(await this.parts.secret(), digest);
    const hash = await this.parts.subscriptions.showKey(digest, identifier);
    // After the secret was changed the key of an earlier purchase cannot be made again, and no other one is shown.
    const shown = hash === keyHash(key) ? key : null;
    return { ...sale, body: JSON.stringify({ ...(JSON.parse(sale.body) as object), key: shown }) };
  }

  /** A host that is never looked at has nothing to subscribe to. */
  private admit({ host }: SubscriptionSaleArgs): Promise<void> {
    if (this.parts.optOuts.covers(host.ascii)) return Promise.reject(new OptedOutError(host.ascii));
    return Promise.resolve();
  }

  private async work({ host, proof }: SubscriptionSaleArgs): Promise<Work> {
    const { digest, authorization } = presented(proof);
    const hash = keyHash(purchasedKey(await this.parts.secret(), digest));
    if (hash === undefined) throw new Error('a purchased key is a key');
    const bought = await this.parts.subscriptions.purchase({
      domain: host.ascii,
      payer: authorization.from.toLowerCase(),
      keyHash: hash,
      paymentDigest: digest,
      days: this.parts.terms.days,
    });
    if (!bought) throw new PaymentUnavailableError('payment_in_progress', OTHER_PURCHASE, RETRY_SEC);
    return { body: JSON.stringify(subscriptionState(bought, this.parts, new Date())), charge: true };
  }
}

/** Nothing was charged: the same payment starts over when it is sent again. */
const OTHER_PURCHASE =
  'another payment of this wallet for this subscription is being settled; send this one again then';
const RETRY_SEC = 5;

function presented(proof: ProofReading | undefined): PaymentProof {
  if (!proof?.ok) throw new Error('the paywall sells for nothing but a payment');
  return proof.proof;
}
