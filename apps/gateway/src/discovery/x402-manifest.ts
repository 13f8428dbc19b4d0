import { priceUsd, requirementFor, type SellingTerms, type Sku } from '@app/payments';
import { templateOf } from '../openapi/parameters';
import type { Installation } from './installation';
import { exampleOffer, SKUS, SOLD } from './sold-routes';

type Seller = Omit<Installation, 'contact'>;

/**
 * `/.well-known/x402`: what is sold here, each with a request that can be made to see its challenge. No specification
 * defines it; `resources` is what directories crawl, `items` says the same with terms and words
 * (https://github.com/x402-foundation/x402/issues/2582). Nothing is listed while payments are not configured.
 */
export function x402Manifest(installation: Seller): object {
  const { terms } = installation;
  const skus = terms === null ? [] : SKUS;
  return {
    version: 1,
    x402Version: 2,
    kind: 'resource-server',
    name: 'hostprobe',
    description: 'Live looks at hosts and checks before paying, per call in USDC',
    resources: skus.map((sku) => `${SOLD[sku].method} ${exampleOffer(sku, installation).resource}`),
    items: terms === null ? [] : skus.map((sku) => itemOf(sku, installation, terms)),
  };
}

function itemOf(sku: Sku, installation: Seller, terms: SellingTerms): object {
  const { method, route } = SOLD[sku];
  const offered = exampleOffer(sku, installation);
  return {
    resource: offered.resource,
    type: 'http',
    method,
    description: offered.description,
    sku,
    priceUsd: priceUsd(offered.priceAtomic),
    accepts: [requirementFor(offered, terms)],
    template: `${installation.baseUrl}${templateOf(route.path)}`,
    ...(route.body ? { body: route.body.example } : {}),
  };
}
