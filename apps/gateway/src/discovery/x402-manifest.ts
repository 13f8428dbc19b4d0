import { priceUsd, requirementFor, type SellingTerms, type Sku } from '@app/payments';
import { templateOf } from '../openapi/parameters';
import type { Installation } from './installation';
import { exampleOffer, SKUS, SOLD } from './sold-routes';

/**
 * `/.well-known/x402`: what is sold here, each with a URL that can be called to see its challenge. Nothing is listed
 * while payments are not configured. Members of draft-hawkins-x402-dns-discovery and of what directories read.
 */
export function x402Manifest(installation: Omit<Installation, 'contact'>): object {
  const { terms } = installation;
  return {
    x402Version: 2,
    kind: 'resource-server',
    name: 'hostprobe',
    description: 'Live looks at hosts and checks before paying, per call in USDC',
    resources: terms === null ? [] : SKUS.map((sku) => resourceOf(sku, installation, terms)),
  };
}

function resourceOf(sku: Sku, installation: Omit<Installation, 'contact'>, terms: SellingTerms): object {
  const { method, route } = SOLD[sku];
  const { resource, description, priceAtomic } = exampleOffer(sku, installation);
  return {
    url: resource,
    method,
    description,
    sku,
    priceUsd: priceUsd(priceAtomic),
    accepts: [requirementFor(exampleOffer(sku, installation), terms)],
    template: `${installation.baseUrl}${templateOf(route.path)}`,
    ...(route.body ? { input: route.body.example } : {}),
  };
}
