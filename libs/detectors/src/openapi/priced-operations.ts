import { defined } from '@app/platform';
import { isObject, list, member, scalar, text, type JsonObject, type JsonValue } from '../formats/json';
import { readPaymentInfo } from './payment-info';
import { referred } from './reference';
import { MAX_URL, unusable } from '../documents/declared-url';
import { readX402Annotation, type X402Annotation } from './x402-annotation';

/** The name that marks a wallet sign-in for x402 directories (npm `@agentcash/discovery`). */
const SIGN_IN = 'siwx';

/** The names of security schemes (OpenAPI 3 or Swagger 2.0) for wallet sign-in and for payment. */
function schemesOf(document: JsonValue): Readonly<Record<'signIn' | 'payment', ReadonlySet<string>>> {
  const stated = member(member(document, 'components'), 'securitySchemes') ?? member(document, 'securityDefinitions');
  const schemes = Object.entries(isObject(stated) ? stated : {}).map(
    ([name, scheme]) => [name, referred(scheme, document)] as const,
  );
  const named = (is: (scheme: JsonValue | undefined) => boolean) =>
    schemes.flatMap(([name, scheme]) => (is(scheme) ? [name] : []));
  const isPayment = (scheme: JsonValue | undefined) =>
    [member(scheme, 'name'), member(scheme, 'scheme')].some((word) => PAYMENT.test(text(word) ?? ''));
  return {
    signIn: new Set([SIGN_IN, ...named((scheme) => member(scheme, 'x-agentcash-auth-kind') === SIGN_IN)]),
    payment: new Set(['x402', 'mpp', ...named(isPayment)]),
  };
}

/** Payment headers, and the MPP scheme. */
const PAYMENT = /^(?:x-payment|payment-signature|payment)$/i;

/**
 * Whether an operation requires a sign-in: by the older mark on the operation, or by the effective security. Security
 * requirements are alternatives, so nobody has to sign in if one of them requires nothing or only a payment.
 */
function wantsSignIn(operation: JsonObject, document: JsonValue, schemes: ReturnType<typeof schemesOf>): boolean {
  const mode = text(member(member(operation, 'x-agentcash-auth'), 'mode'));
  if (mode !== undefined) return mode === SIGN_IN;
  const security = list(member(operation, 'security') ?? member(document, 'security')) ?? [];
  const alternatives = security.slice(0, READ.parameters).filter(isObject).map(Object.keys);
  return (
    alternatives.some((names) => names.some((name) => schemes.signIn.has(name))) &&
    alternatives.every((names) => names.some((name) => !schemes.payment.has(name)))
  );
}

/** One operation of an API description. */
export interface Operation {
  /** In upper case: `GET`, `POST`, or a method of `additionalOperations` (OpenAPI 3.2). */
  readonly method: string;
  /** The path template as written, such as `/v1/images/{id}`. */
  readonly path: string;
  /** Server URL and path joined; absolute if the server is, otherwise relative to the document. */
  readonly url: string;
  /** The operation object itself. */
  readonly value: JsonObject;
}

/**
 * A paid operation. Its `url` is filled with the document's examples for path parameters and required query parameters;
 * a variable without an example stays.
 */
interface PricedOperation extends Operation {
  /** The operation's `x-payment-info` as written; null if missing. */
  readonly paymentInfo: JsonObject | null;
  /** Its parsed `x-x402`. */
  readonly annotation?: X402Annotation;
}

/** Fixed fields of a path item that are operations, up to OpenAPI 3.2 (https://spec.openapis.org/oas/v3.2.0.html#path-item-object). */
const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']);

/**
 * Limits on what is read of one operation: thousands of operations may share a long path, a server with long variables,
 * or a parameter with thousands of examples.
 */
const READ = {
  pathCharacters: 2_048,
  servers: 8,
  parameters: 64,
  query: 16,
  examples: 16,
  exampleCharacters: 200,
} as const;

/** Operations in `paths` in document order. Webhooks are called by the host, so they are left out. Never throws. */
export function operations(document: JsonValue): readonly Operation[] {
  const paths = member(document, 'paths');
  if (!isObject(paths)) return [];
  const rootServer = serverUrl(document);
  const found: Operation[] = [];
  for (const [path, item] of Object.entries(paths)) {
    if (!path.startsWith('/') || path.length > READ.pathCharacters || !isObject(item)) continue;
    const itemServer = firstServer(item) ?? rootServer;
    for (const [method, value] of operationsOf(item)) {
      found.push({ method, path, url: join(firstServer(value) ?? itemServer, path), value });
    }
  }
  return found;
}

/**
 * Operations with `x-payment-info` or a paid `x-x402`, or with a documented 402, in document order. An operation that
 * only requires a sign-in may document a 402, but is not paid.
 */
export function pricedOperations(document: JsonValue): readonly PricedOperation[] {
  const examples = new ParameterExamples(document);
  const isSignIn = signInOf(document);
  return operations(document).flatMap((operation) => {
    const { value } = operation;
    const annotation = readX402Annotation(value);
    const documented = member(member(value, 'responses'), '402') !== undefined;
    return isPriced(operation) || (documented && !isSignIn(operation))
      ? [
          {
            ...operation,
            url: examples.filled(operation),
            paymentInfo: paymentInfoOf(value),
            ...defined({ annotation }),
          },
        ]
      : [];
  });
}

function paymentInfoOf(value: JsonObject): JsonObject | null {
  const stated = member(value, 'x-payment-info');
  return isObject(stated) ? stated : null;
}

/** Whether an operation states payment terms in either form. */
export function isPriced({ value }: Operation): boolean {
  return paymentInfoOf(value) !== null || readX402Annotation(value)?.paid === true;
}

/** Returns a test whether an operation requires a wallet sign-in but no payment. */
export function signInOf(document: JsonValue): (operation: Operation) => boolean {
  const schemes = schemesOf(document);
  return (operation) =>
    !isPriced(operation) &&
    (readX402Annotation(operation.value)?.paid === false || wantsSignIn(operation.value, document, schemes));
}

/** Codes of the faults in an operation's payment terms. */
export function termFaults({ value }: Operation): readonly string[] {
  const info = paymentInfoOf(value);
  const annotation = readX402Annotation(value);
  const stated = member(value, 'x-x402');
  const isOther = stated !== undefined && stated !== false && annotation === undefined;
  return [
    ...(info && readPaymentInfo(info).mppRefused ? ['x_payment_info_invalid'] : []),
    ...(isOther || annotation?.wellFormed === false ? ['x_x402_invalid'] : []),
  ];
}

/**
 * Base URL of the API: its first public server with default variables, or scheme, host and base path of a Swagger 2.0
 * document. Relative, or undefined if the document has none.
 */
export function serverUrl(document: JsonValue): string | undefined {
  return firstServer(document) ?? swaggerBase(document);
}

/** Iterates only over existing fields, because a description may have ten thousand path items. */
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

/** Examples of one parameter list, encoded for a URL; undefined for a parameter without one. */
interface Examples {
  readonly path: ReadonlyMap<string, string | undefined>;
  /** Those of required parameters, as `name=value`. */
  readonly query: ReadonlyMap<string, string | undefined>;
}

/** Examples by parameter list; the operations of a path share one of its lists. */
class ParameterExamples {
  private readonly known = new Map<JsonValue | undefined, Examples>();
  private readonly queries = new Map<Examples['query'], string>();

  constructor(private readonly document: JsonValue) {}

  /** The URL of an operation, with an example for each path parameter and required query parameter if there is one. */
  filled({ url, path, value }: Operation): string {
    const item = member(member(this.document, 'paths'), path);
    // An operation overrides parameters of its path.
    const [own, shared] = [this.of(member(value, 'parameters')), this.of(member(item, 'parameters'))];
    const called = path.includes('{')
      ? url.replace(
          /\{([^{}]{1,100})\}/g,
          (template, name: string) => (own.path.has(name) ? own.path.get(name) : shared.path.get(name)) ?? template,
        )
      : url;
    const query =
      own.query.size === 0 ? this.queryOf(shared.query) : this.queryOf(new Map([...shared.query, ...own.query]));
    const asked = query === '' ? called : `${called}${called.includes('?') ? '&' : '?'}${query}`;
    return asked.length <= MAX_URL ? asked : called;
  }

  private queryOf(query: Examples['query']): string {
    const known = this.queries.get(query) ?? [...query.values()].filter((pair) => pair !== undefined).join('&');
    this.queries.set(query, known);
    return known;
  }

  private of(parameters: JsonValue | undefined): Examples {
    const known = this.known.get(parameters);
    if (known) return known;
    const [path, query] = [new Map<string, string | undefined>(), new Map<string, string | undefined>()];
    for (const listed of (list(parameters) ?? []).slice(0, READ.parameters)) {
      const parameter = referred(listed, this.document);
      const name = text(member(parameter, 'name'));
      if (name === undefined || name.length > READ.exampleCharacters) continue;
      const example = this.exampleOf(parameter);
      const encoded = example === undefined ? undefined : encodeURIComponent(example);
      // The first of two with the same name counts.
      if (member(parameter, 'in') === 'path' && !path.has(name)) path.set(name, encoded);
      const isRequired = member(parameter, 'in') === 'query' && member(parameter, 'required') === true;
      if (isRequired && query.size < READ.query && !query.has(name))
        query.set(name, encoded === undefined ? undefined : `${encodeURIComponent(name)}=${encoded}`);
    }
    const examples = { path, query };
    this.known.set(parameters, examples);
    return examples;
  }

  /** A value for a parameter from the document itself, short enough for a URL. */
  private exampleOf(parameter: JsonValue | undefined): string | undefined {
    const schema = referred(member(parameter, 'schema'), this.document);
    const listed = (holder: JsonValue | undefined, name: string): readonly JsonValue[] =>
      (list(member(holder, name)) ?? []).slice(0, READ.examples);
    const example = [
      ...[parameter, schema].map((holder) => member(holder, 'example')),
      ...firstExamples(member(parameter, 'examples')),
      ...[parameter, schema].map((holder) => member(holder, 'default')),
      ...listed(schema, 'examples'),
      ...[parameter, schema].flatMap((holder) => listed(holder, 'enum')),
      member(schema, 'const'),
    ]
      .map((value) => (typeof value === 'boolean' ? String(value) : scalar(value)))
      .find((value) => value !== undefined);
    return example !== undefined && example.length <= READ.exampleCharacters ? example : undefined;
  }
}

/** The first values of an object of examples, which may have thousands. */
function firstExamples(examples: JsonValue | undefined): readonly (JsonValue | undefined)[] {
  const values: (JsonValue | undefined)[] = [];
  if (!isObject(examples)) return values;
  for (const name in examples) {
    if (values.length === READ.examples) break;
    values.push(member(member(examples, name), 'value'));
  }
  return values;
}

/** The first server that is not a development address, or else the first one. */
function firstServer(holder: JsonValue): string | undefined {
  const servers = (list(member(holder, 'servers')) ?? []).slice(0, READ.servers);
  const urlOf = (server: JsonValue | undefined) => text(member(server, 'url'));
  const isPublic = (server: JsonValue) => !/^(?:local|placeholder)_url$/.test(unusable(urlOf(server) ?? '') ?? '');
  const server = servers.find(isPublic) ?? servers[0];
  const url = urlOf(server);
  const variables = member(server, 'variables');
  return url
    ?.slice(0, READ.pathCharacters)
    .replace(/\{([^{}]{1,100})\}/g, (template, name: string) => {
      return text(member(member(variables, name), 'default'))?.slice(0, READ.exampleCharacters) ?? template;
    })
    .slice(0, READ.pathCharacters);
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
