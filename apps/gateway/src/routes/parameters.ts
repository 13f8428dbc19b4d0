import { defined } from '@app/platform';
import type { JsonSchema } from './json-schema';
import { componentRef, type Members, type Ref } from './schema';

const header = (name: string, description: string, example?: string): Members =>
  defined({ name, in: 'header', required: false, description, schema: { type: 'string' }, example });

/** `components.parameters`: shared parameters, by header or query name. */
export const PARAMETERS = {
  'PAYMENT-SIGNATURE': header('PAYMENT-SIGNATURE', 'The payment (x402 version 2): base64 of JSON.'),
  'X-PAYMENT': header('X-PAYMENT', 'The payment (x402 version 1): base64 of JSON.'),
  'X-402-Version': header('X-402-Version', '`1` requests an x402 version 1 challenge.'),
  'Idempotency-Key': header('Idempotency-Key', 'Identifies the purchase, like the extension `payment-identifier`.'),
  'SIGN-IN-WITH-X': header('SIGN-IN-WITH-X', 'A message signed by the wallet of a subscriber.'),
  'If-None-Match': header('If-None-Match', 'The entity tag of the copy you have.'),
  Prefer: header('Prefer', '`wait=N`, at most 10: seconds to wait for the first free probe of a host.', 'wait=5'),
  x402Version: {
    name: 'x402Version',
    in: 'query',
    required: false,
    description: '`1` requests an x402 version 1 challenge, for clients that cannot set headers.',
    schema: { type: 'string', enum: ['1', '2'] },
  },
} as const satisfies Readonly<Record<string, Members>>;

export type ParameterName = keyof typeof PARAMETERS;

export const PAYMENT: readonly ParameterName[] = [
  'PAYMENT-SIGNATURE',
  'X-PAYMENT',
  'X-402-Version',
  'x402Version',
  'Idempotency-Key',
];

export function shared(...names: readonly ParameterName[]): readonly Ref[] {
  return names.map((name) => componentRef('parameters', name));
}

/** A route with described parameters. */
export interface ParameterRoute {
  /** Path pattern, with parameters as `:name`. */
  readonly path: string;
  /** JSON Schema of each parameter in the path. */
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: { readonly properties: Readonly<Record<string, unknown>>; readonly required?: readonly string[] };
}

/** The parameters of a route, path first. @param call path and query of an example request */
export function routeParameters({ path, params = {}, query }: ParameterRoute, call?: string): readonly Members[] {
  const examples = call === undefined ? new Map<string, string>() : exampleValues(path, call);
  const needed = query?.required ?? [];
  const parameter = (where: 'path' | 'query', [name, own]: [string, unknown]): Members => {
    const { description, deprecated, ...schema } = own as JsonSchema;
    const required = where === 'path' || needed.includes(name);
    return defined({ name, in: where, required, deprecated, description, schema, example: examples.get(name) });
  };
  return [
    ...Object.entries(params).map((entry) => parameter('path', entry)),
    ...Object.entries(query?.properties ?? {}).map((entry) => parameter('query', entry)),
  ];
}

/** The values of a route's parameters in an example request. */
function exampleValues(path: string, call: string): ReadonlyMap<string, string> {
  const { pathname, searchParams } = new URL(call, 'http://gateway');
  const parts = pathname.split('/');
  const named = path
    .split('/')
    .flatMap((part, i) => (part.startsWith(':') ? [[part.slice(1), parts[i] ?? ''] as const] : []));
  return new Map([...searchParams, ...named]);
}

/** `/hosts/:domain` in OpenAPI notation. */
export function templateOf(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}');
}

/** The ways to authenticate a subscriber (RFC 6750, and the x402 extension `sign-in-with-x`). */
export const SECURITY_SCHEMES = {
  subscriptionKey: { type: 'http', scheme: 'bearer', description: 'The key of a subscription to the host.' },
  watchKey: { type: 'http', scheme: 'bearer', description: 'The key of a watch.' },
  claimKey: { type: 'http', scheme: 'bearer', description: 'The key of a claim.' },
  signInWithX: {
    type: 'apiKey',
    in: 'header',
    name: 'SIGN-IN-WITH-X',
    description: 'A message signed by the wallet that paid.',
  },
};

/** Either of the two, on routes for subscribers. */
export const SUBSCRIBER = [{ subscriptionKey: [] }, { signInWithX: [] }];
