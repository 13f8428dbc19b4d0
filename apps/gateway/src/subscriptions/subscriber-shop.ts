import type { ProofReading } from '@app/payments';
import type { HeaderSink } from '../limits/rate-limits';
import type { PaidOperation } from '../paywall/paid-operation';
import type { Sale } from '../paywall/release';
import type { Shop } from '../paywall/shop';
import type { Credential } from './credential';
import type { SubscriberLooks } from './subscriber-looks';

/** What came with a request: a payment, something that shows a subscriber, both or neither. */
export interface Asker {
  readonly proof: ProofReading | undefined;
  readonly credential: Credential | undefined;
}

/** The shop as both doors know it: a subscriber's look at its origin is included, everything else is bought. */
export class SubscriberShop {
  constructor(
    private readonly shop: Shop,
    private readonly looks: SubscriberLooks,
  ) {}

  /** @throws as {@link Shop.buy} and {@link SubscriberLooks.take} */
  serve<Args>(
    operation: PaidOperation<Args>,
    args: Args,
    { proof, credential }: Asker,
    headers: HeaderSink,
  ): Promise<Sale> {
    const origin = credential && operation.origin?.(args);
    return credential && origin
      ? this.looks.take(origin, credential, headers, operation.job(args))
      : this.shop.buy(operation, args, proof);
  }
}
