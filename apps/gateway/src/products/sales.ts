import { currentRequest } from '@app/platform';
import { PaymentConflictError, type PayloadReading } from '@app/payments';
import type { HostName } from '@app/hosts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { credentialOf, type Credential } from '../checkout/credential';
import { headerPayment } from '../checkout/header-payment';
import type { Job, Paywall } from '../checkout/paywall.service';
import { isSale, type Answer, type Sale } from '../checkout/release';
import { sendAnswer } from '../checkout/sale-response';
import type { Subscribers } from '../checkout/subscribers';
import type { ErrorFilter } from '../http/error.filter';
import { methodNotAllowed } from '../http/error-response';
import { OneOf, Optional } from '../http/inputs';
import type { HeaderSink, RateLimits } from '../http/rate-limits';
import { RequestError } from '../http/request-error';
import { queryArguments } from '../http/validated';
import { PARAMETERS } from '../routes/parameters';
import type { Statements } from '../statements/statements';
import type { Order, Product } from './define-product';
import type { ProductDeps } from './product-deps';
import type { ChallengeCache } from './challenge-cache';

/** The buyer of a product. */
export interface Buyer {
  /** The network address, behind trusted proxies. */
  readonly ip: string;
  readonly payload: PayloadReading | undefined;
  /** The credential of a subscriber, if the buyer sent one. */
  readonly credentialFor: (host: HostName) => Credential | undefined | Promise<Credential | undefined>;
}

export interface SalesDeps {
  /** Null while payments are not configured. */
  readonly paywall: Pick<Paywall, 'answer'> | null;
  readonly subscribers: Pick<Subscribers, 'active' | 'concerning'>;
  readonly rateLimits: Pick<RateLimits, 'countCheck' | 'admitPayment' | 'countRefusedPayment' | 'countIncludedRefresh'>;
  readonly errors: Pick<ErrorFilter, 'send' | 'leaveToSale'>;
  readonly statements: Pick<Statements, 'stated'>;
  readonly products: ProductDeps;
  readonly challengeCache: Pick<ChallengeCache, 'note'>;
}

/** Query parameters of every product route, in addition to its arguments. */
class PaidQuery {
  @Optional()
  @OneOf(PARAMETERS.x402Version.schema.enum)
  x402Version?: string;
}

/** Sells products over REST and MCP, in one order: 400, 429, 503, 402, work, settle (behaviour 1.8). */
export class Sales {
  constructor(private readonly deps: SalesDeps) {}

  /**
   * Answers a request to a product route with the sale or a 402. HEAD gets 405, because its answer would have no body;
   * its payment is not read. @throws like {@link sell}
   */
  async serve(product: Product, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (request.method === 'HEAD') {
      this.deps.errors.send(methodNotAllowed([product.method]), request, reply);
      return;
    }
    const { query, headers, ip } = request;
    const raw = product.raw(request);
    queryArguments(PaidQuery, query);
    const buyer = { ip, payload: headerPayment(headers), credentialFor: () => credentialOf(headers) };
    const answer = await this.sell(product, raw, buyer, reply);
    if (!isSale(answer)) this.deps.challengeCache.note(product, request, answer.challenge);
    sendAnswer(answer, request, reply, this.deps.errors);
  }

  /**
   * @param raw arguments as the caller sent them, under the names of the route's parameters
   * @throws {RequestError} 400, 429, 401 for an invalid credential, 503 if payments are not configured; errors of the
   * work, and like {@link Paywall.answer}
   */
  async sell(product: Product, raw: unknown, buyer: Buyer, headers: HeaderSink): Promise<Answer> {
    const { errors, rateLimits, statements, products } = this.deps;
    const order = product.order(raw, products, buyer.payload);
    if (buyer.payload) {
      rateLimits.admitPayment(buyer);
      errors.leaveToSale(currentRequest());
    }
    const answer = await this.answerTo(order, product, buyer, headers).catch(async (error: unknown) => {
      if (isRefusal(error)) await rateLimits.countRefusedPayment(buyer);
      throw error;
    });
    if (isSale(answer)) return statements.stated(answer);
    if (buyer.payload) await rateLimits.countRefusedPayment(buyer);
    return answer;
  }

  private async answerTo(order: Order, product: Product, buyer: Buyer, headers: HeaderSink): Promise<Answer> {
    const { offer, job, origin, deliver, location } = order;
    const { payload } = buyer;
    const { paywall, subscribers, rateLimits } = this.deps;
    refuseUnreadable(payload);
    if (product.check) await rateLimits.countCheck(buyer, headers);
    const shown = origin && (await buyer.credentialFor(origin));
    // A request with a payment may also have a key for another origin. That key cannot be meant for this request, so it
    // is ignored.
    const credential = shown && payload?.ok ? await subscribers.concerning(origin, shown) : shown;
    const foreign = credential?.kind === 'foreign';
    if (credential && origin && !foreign) return this.include(origin, credential, headers, job);
    if (!paywall) throw new RequestError('payments_not_configured', undefined, { retryAfterSec: 300 });
    const answer = await paywall.answer(offer, payload, job);
    if (!isSale(answer)) return answer;
    const sale = { ...answer, ...(location && { location: location(answer.body) }) };
    return withMembers(sale, { ...(await deliver?.(answer.first === true)), ...(foreign && FOREIGN_KEY) });
  }

  /**
   * Does the same work within fair use of a subscription. Requests refused before the work starts do not count. A
   * payment in the request is ignored.
   */
  private async include(host: HostName, credential: Credential, headers: HeaderSink, job: Job): Promise<Sale> {
    const { id } = await this.deps.subscribers.active(host, credential);
    await job.admit();
    await this.deps.rateLimits.countIncludedRefresh(id, headers);
    const { content } = await job.work();
    return { ...content, replayed: false, x402Version: 2 };
  }
}

const FOREIGN_KEY = {
  notice: 'The subscription key in this request is for another host. We ignored it and charged the payment.',
};

/** Adds fields to the body of a sale that are not stored with it. */
function withMembers(sale: Sale, members: object): Sale {
  if (Object.keys(members).length === 0) return sale;
  return { ...sale, body: `${sale.body.slice(0, -1)},${JSON.stringify(members).slice(1)}` };
}

/**
 * Whether the payment itself was at fault. Failures of the service, its limits or the host do not count against the
 * caller.
 */
function isRefusal(error: unknown): boolean {
  return error instanceof PaymentConflictError || (error instanceof RequestError && REFUSALS.has(error.code));
}
const REFUSALS: ReadonlySet<string> = new Set(['payment_malformed', 'payer_must_wait']);

/** If the payment header cannot be read, payment terms would not help its sender. @throws {RequestError} 400 */
function refuseUnreadable(payload: PayloadReading | undefined): void {
  if (payload?.ok !== false || payload.code !== 'payment_malformed') return;
  throw new RequestError('payment_malformed', payload.error);
}
