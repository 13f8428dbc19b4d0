import { isObject, list, member, text, type JsonObject, type JsonValue } from '../json';

/** One operation of an API description. */
export interface Operation {
  /** Upper case: `GET`, `POST`, or a method of `additionalOperations` (OpenAPI 3.2). */
  readonly method: string;
  /** The path template as the document writes it, such as `/v1/images/{id}`. */
  readonly path: string;
  /** Where it is called: server URL and path joined. Absolute when the server is, otherwise relative to the document. */
  readonly url: string;
  /** The operation object itself. */
  readonly value: JsonObject;
}

/** An operation that states its price. */
export interface PricedOperation extends Pick<Operation, 'method' | 'path' | 'url'> {
  /** The operation's `x-payment-info` (https://paymentauth.org/draft-payment-discovery-00.html), as written. */
  readonly paymentInfo: JsonObject;
}

/** Fixed fields of a path item that are operations, up to OpenAPI 3.2 (https://spec.openapis.org/oas/v3.2.0.html#path-item-object). */
const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']);

/** Operations under `paths` in document order; webhooks are called by the host, not on it, and are left out. Never throws. */
export function operations(document: JsonValue): readonly Operation[] {
  const paths = member(document, 'paths');
  if (!isObject(paths)) return [];
  const rootServer = serverUrl(document);
  const found: Operation[] = [];
  for (const [path, item] of Object.entries(paths)) {
    if (!path.startsWith('/') || !isObject(item)) continue;
    const itemServer = firstServer(item) ?? rootServer;
    for (const [method, value] of operationsOf(item)) {
      found.push({ method, path, url: join(firstServer(value) ?? itemServer, path), value });
    }
  }
  return found;
}

/** The operations that carry `x-payment-info`, in document order. */
export function pricedOperations(document: JsonValue): readonly PricedOperation[] {
  return operations(document).flatMap(({ method, path, url, value }) => {
    const paymentInfo = member(value, 'x-payment-info');
    return isObject(paymentInfo) ? [{ method, path, url, paymentInfo }] : [];
  });
}

export function isPriced({ value }: Operation): boolean {
  return isObject(member(value, 'x-payment-info'));
}

/**
 * Base URL of the API: `servers[0].url` with its variables at their defaults, or scheme, host and base path of a
 * Swagger 2.0 document. Relative or undefined when the document does not name one.
 */
export function serverUrl(document: JsonValue): string | undefined {
  return firstServer(document) ?? swaggerBase(document);
}

/** Looked up by the members that are there: a description may have ten thousand path items. */
function operationsOf(item: JsonObject): readonly (readonly [method: string, value: JsonObject])[] {
  const found: (readonly [string, JsonObject])[] = [];
  for (const name in item) {
    const value = member(item, name);
    if (METHODS.has(name) && isObject(value)) found.push([name.toUpperCase(), value]);
  }
  const additional = member(item, 'additionalOperations');
  if (!isObject(additional)) return found;
  const further = Object.entries(additional).filter((entry): entry is [string, JsonObject] => isObject(entry[1]));
  return [...found, ...further.map(([name, value]) => [name.toUpperCase(), value] as const)];
}

function firstServer(holder: JsonValue): string | undefined {
  const server = list(member(holder, 'servers'))?.[0];
  const url = text(member(server, 'url'));
  const variables = member(server, 'variables');
  return url?.slice(0, 2_048).replace(/\{([^{}]{1,100})\}/g, (template, name: string) => {
    return text(member(member(variables, name), 'default')) ?? template;
  });
}

function swaggerBase(document: JsonValue): string | undefined {
  const basePath = text(member(document, 'basePath'));
  const host = text(member(document, 'host'));
  if (host === undefined) return basePath;
  const schemes = list(member(document, 'schemes')) ?? [];
  const scheme = schemes.length === 0 || schemes.includes('https') ? 'https' : 'http';
  return `${scheme}://${host}${basePath ?? ''}`;
}

function join(server: string | undefined, path: string): string {
  return `${(server ?? '').replace(/\/$/, '')}${path}`;
}
