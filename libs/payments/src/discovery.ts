import { bazaarResourceServerExtension, declareDiscoveryExtension } from '@x402/extensions/bazaar';
import type { JsonObject, Offer, RouteDescription } from './offer';

interface Declaration {
  readonly info: { readonly input: JsonObject };
}

/** The constant part of a route's description is built once. */
const declarations = new WeakMap<RouteDescription, unknown>();

/**
 * The `bazaar` extension of a 402: route template, method, parameters with their schemas and an example answer
 * (https://github.com/x402-foundation/x402, specs/extensions/bazaar.md). Returns a new object each time, because client
 * libraries and the SDK modify what they get.
 */
export function discoveryOf({ method, resource, route }: Pick<Offer, 'method' | 'resource' | 'route'>): JsonObject {
  const url = new URL(resource);
  const declared = declarations.get(route) ?? declare(method, route);
  declarations.set(route, declared);
  const context = { method, adapter: { getPath: () => url.pathname }, routePattern: route.path };
  const enriched = bazaarResourceServerExtension.enrichDeclaration?.(declared, context) as Declaration;
  if (method === 'POST') return { ...enriched };
  const input = { ...enriched.info.input, queryParams: Object.fromEntries(url.searchParams) };
  return { ...enriched, info: { ...enriched.info, input } };
}

function declare(method: Offer['method'], route: RouteDescription): unknown {
  const params = route.params ?? {};
  const pathParamsSchema = { properties: params, required: Object.keys(params) };
  const output = { example: route.answer };
  const declared =
    method === 'POST'
      ? declareDiscoveryExtension({
          bodyType: 'json',
          input: { ...route.body?.example },
          inputSchema: { type: 'object', ...route.body?.schema },
          pathParamsSchema,
          output,
        })
      : declareDiscoveryExtension({
          input: {},
          inputSchema: { properties: route.query?.properties ?? {}, required: route.query?.required ?? [] },
          pathParamsSchema,
          output,
        });
  return declared['bazaar'];
}
