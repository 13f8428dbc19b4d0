import { without } from '@app/platform';
import { challengeFor } from '@app/payments';
import type { Operation, Paths } from '../../routes/operation';
import { PAYMENT, routeParameters, shared, templateOf } from '../../routes/parameters';
import { json, paidAnswer, errorResponses, type ErrorStatus } from '../../routes/responses';
import type { Members } from '../../routes/schema';
import { errorEntry } from '../../http/error-codes';
import type { Product } from '../../products/define-product';
import type { Installation } from '../../products/installation';
import { priceRange, priceText } from '../../products/price';
import { PRODUCTS } from '../../products/registry';
import { answer } from '../../routes/recorded-answers';

type Seller = Omit<Installation, 'contact'>;

/** The routes of everything that is sold. */
export function productPaths(installation: Seller): Paths {
  return Object.fromEntries(
    PRODUCTS.map((product) => [
      templateOf(product.path),
      { [product.method.toLowerCase()]: productOperation(product, installation) },
    ]),
  );
}

function productOperation(product: Product, installation: Seller): Operation {
  const { name, title, what, freshness, failures, check, describe, example, component, included } = product;
  return {
    operationId: name,
    summary: title,
    description: [
      what,
      `Costs ${priceText(product.price(installation))} a call, by x402.`,
      freshness && `Freshness: ${freshness}`,
      failures,
    ]
      .filter(Boolean)
      .join(' '),
    tags: [check ? 'checks' : 'hosts'],
    // None: whatever is named here, directories take for a key that a buyer must have before.
    security: [],
    parameters: [
      ...routeParameters(describe, example.call),
      ...shared(...PAYMENT, ...(included ? (['SIGN-IN-WITH-X'] as const) : [])),
    ],
    ...(describe.body ? { requestBody: bodyOf(describe.body) } : {}),
    'x-payment-info': paymentInfo(product, installation),
    responses: {
      ...paidAnswer(answer(component), challengeExample(product, installation)),
      ...errorResponses(...errorStatusesOf(product)),
    },
  };
}

/** Statuses of the product's own errors, and of those that any paid request may end with. */
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

function bodyOf({ schema, example }: { readonly schema: Members; readonly example: Members }): Members {
  const required = (schema['required'] as readonly string[] | undefined) ?? [];
  return { required: required.length > 0, content: json({ type: 'object', ...schema }, example) };
}

/** What it costs in decimal USD, as directories of x402 read it (npm package `@agentcash/discovery`). */
function paymentInfo(product: Product, installation: Seller): Members {
  const [least, most] = priceRange(product.price(installation));
  const price =
    least === most
      ? { mode: 'fixed', currency: 'USD', amount: least }
      : { mode: 'dynamic', currency: 'USD', min: least, max: most };
  return { price, protocols: [{ x402: {} }] };
}

/**
 * The challenge as this installation sends it, without its extensions: they describe the call, as this document does.
 * Undefined while payments are not configured.
 */
function challengeExample(product: Product, installation: Seller): unknown {
  const { terms } = installation;
  return terms === null
    ? undefined
    : without(challengeFor(product.exampleOffer(installation), terms).body, 'extensions');
}
