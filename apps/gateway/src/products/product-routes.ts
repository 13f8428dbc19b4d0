import { without } from '@app/platform';
import { challengeFor } from '@app/payments';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bearerKey } from '../http/bearer';
import { errorEntry } from '../http/error-codes';
import { watchPath } from '../http/paths';
import { PRIVATE } from '../http/published';
import type { RateLimits } from '../http/rate-limits';
import { validated } from '../http/validated';
import type { Watches } from '../owners/watches';
import type { Route } from '../routes/define-route';
import { bodyOf } from '../routes/input-schema';
import type { Operation } from '../routes/operation';
import { PAYMENT, routeParameters, shared } from '../routes/parameters';
import { answer } from '../routes/recorded-answers';
import { begun, errorResponses, paidAnswer, type ErrorStatus } from '../routes/responses';
import type { Members } from '../routes/schema';
import type { Product } from './define-product';
import type { Installation } from './installation';
import { priceRange, priceText } from './price';
import { PRODUCTS } from './registry';
import type { Sales } from './sales';
import { readWatch, watch, WatchInput } from './watch';

type Seller = Omit<Installation, 'contact'>;

/** The services behind the product routes. */
export interface SaleDeps {
  readonly sales: Sales;
  readonly watches: Watches;
  readonly rateLimits: RateLimits;
}

/** The routes of all products. */
export function productRoutes(installation: Seller): readonly Route<SaleDeps>[] {
  return PRODUCTS.map((product) => ({
    method: product.method,
    path: product.path,
    status: 200,
    operation: productOperation(product, installation),
    components: {},
    forPeople: false,
    takesForm: false,
    serve: (deps, request, reply) =>
      product === watch && bearerKey(request) !== ''
        ? beginWatch(deps, request, reply)
        : deps.sales.serve(product, request, reply),
  }));
}

/**
 * Behaviour 19.8: a watch is free with the key of an owner or a subscriber. A payment sent with the key is ignored.
 * @throws {RequestError} 400, 429 `rate_limited`, and like {@link Watches.begin}
 */
async function beginWatch(
  { watches, rateLimits }: SaleDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const wanted = readWatch(validated(WatchInput, request.body));
  await rateLimits.countWatch(request, reply);
  const watch = await watches.begin(wanted, bearerKey(request));
  await reply
    .status(201)
    .headers({ ...PRIVATE, location: watchPath(watch) })
    .send(watch);
}

function productOperation(product: Product, installation: Seller): Operation {
  const { name, title, what, freshness, failures, check, describe, example, component, included } = product;
  return {
    operationId: name,
    summary: title,
    description: [
      what,
      `Costs ${priceText(product.price(installation))} per call, over x402.`,
      freshness && `Freshness: ${freshness}`,
      failures,
    ]
      .filter(Boolean)
      .join(' '),
    tags: [check ? 'checks' : 'hosts'],
    // Empty, because directories would take a security scheme for a key that buyers must obtain first.
    security: [],
    parameters: [
      ...routeParameters(describe, example.call),
      ...shared(...PAYMENT, ...(included ? (['SIGN-IN-WITH-X'] as const) : [])),
    ],
    ...(describe.body ? { requestBody: bodyOf(describe.body.schema, describe.body.example) } : {}),
    'x-payment-info': paymentInfo(product, installation),
    responses: {
      ...paidAnswer(answer(component), challengeExample(product, installation), product.begins ? ['Location'] : []),
      ...(product === watch
        ? begun('The watch, created with the key of a claim or a subscription.', answer(component))
        : {}),
      ...errorResponses(...errorStatusesOf(product)),
    },
  };
}

/** The statuses of the product's own errors and of the errors of every paid request. */
function errorStatusesOf({ errors, included, method }: Product): readonly ErrorStatus[] {
  const own = errors.map((code) => errorEntry(code).status as ErrorStatus);
  return [
    ...own,
    400,
    409,
    503,
    ...(included ? ([401] as const) : []),
    ...(method === 'POST' ? ([413, 415] as const) : []),
  ];
}

/** The price in decimal USD, in the form that x402 directories read (npm package `@agentcash/discovery`). */
function paymentInfo(product: Product, installation: Seller): Members {
  const [least, most] = priceRange(product.price(installation));
  const price =
    least === most
      ? { mode: 'fixed', currency: 'USD', amount: least }
      : { mode: 'dynamic', currency: 'USD', min: least, max: most };
  return { price, protocols: [{ x402: {} }] };
}

/**
 * The challenge as this installation sends it, without the extensions: those describe the call, as this document does.
 * Undefined while payments are not configured.
 */
function challengeExample(product: Product, installation: Seller): unknown {
  const { terms } = installation;
  return terms === null
    ? undefined
    : without(challengeFor(product.exampleOffer(installation), terms).body, 'extensions');
}
