import type { Offer, PayloadReading } from '@app/payments';
import type { HostName } from '@app/hosts';
import type { HeaderSink, RateLimits } from '../http/rate-limits';
import { RequestError } from '../http/request-error';
import type { Credential } from './credential';
import type { Job, Paywall } from './paywall.service';
import { isSale, type Answer, type Sale } from './release';
import type { Subscribers } from './subscribers';

/** An order of a product: its arguments are read and its price is known, nothing is done yet. */
export interface Order {
  readonly offer: Offer;
  readonly job: Job;
  /** The origin whose subscribers have it included (behaviour 10.1); missing when no subscription includes it. */
  readonly origin?: HostName | undefined;
  /** Adds to an answer, whenever it is released, what must not be stored with it. */
  readonly deliver?: ((sale: Sale) => Promise<Sale>) | undefined;
}

/** What came with a request: a payment, a credential of a subscriber, both or neither. */
export interface Asker {
  readonly payload: PayloadReading | undefined;
  readonly credential: Credential | undefined;
}

/** The one way into a sale, for REST and MCP. */
export class Checkout {
  constructor(
    /** Null while payments are not configured. */
    private readonly paywall: Pick<Paywall, 'sell'> | null,
    private readonly subscribers: Pick<Subscribers, 'active' | 'concerning'>,
    private readonly limits: Pick<RateLimits, 'countIncludedRefresh'>,
  ) {}

  /**
   * Sells an order, or serves it to a subscriber who has it included.
   * @throws as {@link Paywall.sell}, and what the job throws; 401 for a bad credential, 429 `subscription_budget`, 503 when
   * no payments are taken
   */
  async sell(order: Order, { payload, credential }: Asker, headers: HeaderSink): Promise<Answer> {
    const { offer, job, origin, deliver } = order;
    // Beside a payment the key of another origin is ignored, as it cannot have been meant for this request.
    const shown =
      credential && origin && payload?.ok ? await this.subscribers.concerning(origin, credential) : credential;
    const foreign = shown?.kind === 'foreign';
    if (shown && origin && !foreign) return this.include(origin, shown, headers, job);
    if (!this.paywall) throw new RequestError('payments_not_configured', undefined, { retryAfterSec: 300 });
    const answer = await this.paywall.sell(offer, payload, job);
    if (!isSale(answer)) return answer;
    const sale = deliver ? await deliver(answer) : answer;
    return foreign ? withNotice(sale, FOREIGN_KEY) : sale;
  }

  /**
   * The same work within fair use instead of for money. What is refused before it begins does not count. A payment that
   * comes along is neither needed nor taken.
   */
  private async include(host: HostName, credential: Credential, headers: HeaderSink, job: Job): Promise<Sale> {
    const { id } = await this.subscribers.active(host, credential);
    await job.admit();
    await this.limits.countIncludedRefresh(id, headers);
    const { body } = await job.work();
    return { body, replayed: false, x402Version: 2 };
  }
}

const FOREIGN_KEY =
  'The subscription key of this request is for another host. It was ignored, and the payment was taken.';

/** An answer with a sentence about the request; what is stored of it stays without. */
function withNotice(sale: Sale, notice: string): Sale {
  return { ...sale, body: JSON.stringify({ ...(JSON.parse(sale.body) as object), notice }) };
}
