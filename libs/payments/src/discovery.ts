import { bazaarResourceServerExtension, declareDiscoveryExtension } from '@x402/extensions/bazaar';

type JsonObject = Readonly<Record<string, unknown>>;

/** How a paid request is made and what it answers, for directories of paid routes. One constant per route. */
export interface RouteDescription {
  /** Path with `:name` parameters, for example `/api/v1/hosts/:domain/refresh`. */
  readonly path: string;
  /** JSON Schema of each path parameter; all are required. */
  readonly params?: JsonObject;
  /** JSON Schema of each query parameter, and which of them must be there. */
  readonly query?: { readonly properties: JsonObject; readonly required?: readonly string[] };
  /** JSON body of a POST. */
  readonly body?: { readonly schema: JsonObject; readonly example: JsonObject };
  /** A short example of the answer: it travels in a header. */
  readonly answer: JsonObject;
}

/** A concrete request of a described route. */
export interface DescribedRequest {
  readonly method: 'GET' | 'POST';
  /** Absolute URL. */
  readonly resource: string;
  readonly route: RouteDescription;
}

interface Declaration {
  readonly info: { readonly input: JsonObject };
}

/** What is the same for every request of a route is built once. */
const declarations = new WeakMap<RouteDescription, unknown>();

/**
 * The `bazaar` extension of a 402: route template, method, parameters with their schemas and an example of the answer
 * (https://github.com/x402-foundation/x402, specs/extensions/bazaar.md). A new object each time: clients' libraries and
 * the SDK write into what they are given.
 */
export function discoveryOf({ method, resource, route }: DescribedRequest): JsonObject {
  const url = new URL(resource);
  const declared = declarations.get(route) ?? declare(method, route);
  declarations.set(route, declared);
  const context = { method, adapter: { getPath: () => url.pathname }, routePattern: route.path };
  const enriched = bazaarResourceServerExtension.enrichDeclaration?.(declared, context) as Declaration;
  if (method === 'POST') return { ...enriched };
  const input = { ...enriched.info.input, queryParams: Object.fromEntries(url.searchParams) };
  return { ...enriched, info: { ...enriched.info, input } };
}

function declare(method: DescribedRequest['method'], route: RouteDescription): unknown {
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
