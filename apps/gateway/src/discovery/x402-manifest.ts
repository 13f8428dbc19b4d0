import { defined } from '@app/platform';
import { priceUsd, requirementFor, type SellingTerms } from '@app/payments';
import { templateOf } from '../routes/parameters';
import type { Product } from '../products/define-product';
import type { Installation } from '../products/installation';
import { PRODUCTS } from '../products/registry';

type Seller = Omit<Installation, 'contact'>;

/**
 * `/.well-known/x402`: the products, each with a request that shows its challenge. No specification defines this file;
 * directories crawl `resources`, and `items` repeats them with terms and descriptions
 * (https://github.com/x402-foundation/x402/issues/2582). It is empty while payments are not configured.
 */
export function x402Manifest(installation: Seller): object {
  const { terms } = installation;
  const products = terms === null ? [] : PRODUCTS;
  return {
    version: 1,
    x402Version: 2,
    kind: 'resource-server',
    name: 'hostprobe',
    description: 'Live probes of hosts and checks before paying, per call in USDC',
    resources: products.map((product) => `${product.method} ${product.exampleOffer(installation).resource}`),
    items: terms === null ? [] : products.map((product) => itemOf(product, installation, terms)),
  };
}

function itemOf(product: Product, installation: Seller, terms: SellingTerms): object {
  const { sku, method, path, describe } = product;
  const offered = product.exampleOffer(installation);
  return {
    resource: offered.resource,
    type: 'http',
    method,
    description: offered.description,
    sku,
    priceUsd: priceUsd(offered.priceAtomic),
    accepts: [requirementFor(offered, terms)],
    template: `${installation.baseUrl}${templateOf(path)}`,
    ...defined({ body: describe.body?.example }),
  };
}
