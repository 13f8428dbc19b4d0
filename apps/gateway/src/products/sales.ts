import { defined, requestId } from '@app/platform';
import { PaymentConflictError, type PayloadReading } from '@app/payments';
import type { HostName } from '@app/hosts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Checkout, Order } from '../checkout/checkout';
import { credentialOf, type Credential } from '../checkout/credential';
import { headerPayment } from '../checkout/header-payment';
import { isSale, type Answer, type Sale } from '../checkout/release';
import { sendAnswer } from '../checkout/sale-response';
import type { ErrorFilter } from '../http/error.filter';
import { methodNotAllowed } from '../http/error-response';
import type { HeaderSink, RateLimits } from '../http/rate-limits';
import { RequestError } from '../http/request-error';
import type { Product } from './define-product';
import type { ProductDeps } from './product-deps';
import type { ReadyChallenges } from './ready-challenges';

/** The buyer of a product, as far as the sale depends on it. */
export interface Buyer {
  /** Network address, after trusted proxies. */
  readonly ip: string;
  readonly payload: PayloadReading | undefined;
  /** What shows that the buyer subscribes to this origin, if anything does. */
  readonly credentialFor: (host: HostName) => Credential | undefined | Promise<Credential | undefined>;
}

/** Sells products over REST and MCP, in one order: 400, 429, 503, 402, work, settle (behaviour 1.8). */
export class Sales {
  constructor(
    private readonly checkout: Pick<Checkout, 'sell'>,
    private readonly limits: Pick<RateLimits, 'countCheck' | 'admitPayment' | 'countRefusedPayment'>,
    private readonly errors: Pick<ErrorFilter, 'send' | 'leaveToSale'>,
    private readonly deps: ProductDeps,
    private readonly ready: Pick<ReadyChallenges, 'note'>,
  ) {}

  /**
   * Answers a request to the route of a product: with what is bought, 402, or 405 to HEAD, whose answer would have no
   * body: what came with it is not read. @throws as {@link sell}
   */
  async serve(product: Product, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (request.method === 'HEAD') {
      this.errors.send(methodNotAllowed([product.method]), request, reply);
      return;
    }
    const { query, params, headers, ip } = request;
    const sent = product.method === 'POST' ? request.body : query;
    const raw = { ...(sent as object), ...(params as object) };
    const buyer = { ip, payload: headerPayment(headers), credentialFor: () => credentialOf(headers) };
    const answer = await this.sell(product, raw, buyer, reply);
    if (!isSale(answer)) this.ready.note(product, request, answer.challenge);
    sendAnswer(answer, request, reply, this.errors);
  }

  /**
   * @param raw arguments as the caller sent them, by the names of the route's parameters
   * @throws {RequestError} 400, 429; and as {@link Checkout.sell}
   */
  async sell(product: Product, raw: unknown, buyer: Buyer, headers: HeaderSink): Promise<Answer> {
    const order = product.order(raw, this.deps, buyer.payload);
    if (buyer.payload) {
      this.limits.admitPayment(buyer);
      this.errors.leaveToSale(requestId());
    }
    const answer = await this.answerTo(order, product, buyer, headers).catch(async (error: unknown) => {
      if (isRefusal(error)) await this.limits.countRefusedPayment(buyer);
      throw error;
    });
    if (isSale(answer)) return this.stated(answer);
    if (buyer.payload) await this.limits.countRefusedPayment(buyer);
    return answer;
  }

  private async answerTo(order: Order, product: Product, buyer: Buyer, headers: HeaderSink): Promise<Answer> {
    refuseOtherHeader(buyer.payload);
    if (product.check) await this.limits.countCheck(buyer, headers);
    const credential = order.origin && (await buyer.credentialFor(order.origin));
    return this.checkout.sell(order, { payload: buyer.payload, credential }, headers);
  }

  /** A sale with the signed statement about the report that was sold; what was paid for is given without it as well. */
  private async stated(sale: Sale): Promise<Sale> {
    const statement = await this.deps.statements.ofAnswer(sale.body).catch(() => undefined);
    return { ...sale, ...defined({ statement }) };
  }
}

/** Whether the payment is to blame: what this service, its limits or the host stood in the way of says nothing against the caller. */
function isRefusal(error: unknown): boolean {
  return error instanceof PaymentConflictError || (error instanceof RequestError && REFUSALS.has(error.code));
}
const REFUSALS: ReadonlySet<string> = new Set(['payment_malformed', 'payer_must_wait']);

/** A client that mixes the versions up would not read the answer either. @throws {RequestError} 400 */
function refuseOtherHeader(payload: PayloadReading | undefined): void {
  if (payload?.ok !== false || payload.code !== 'payment_in_other_header') return;
  throw new RequestError('payment_malformed', payload.error);
}
