import type { RouteDescription } from '@app/payments';
import type { JsonSchema } from '../mcp/json-schema';
import { componentRef, type Members, type Ref } from './schema';

const header = (name: string, description: string, example?: string): Members => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string' },
  ...(example === undefined ? {} : { example }),
});

/** `components.parameters`: what many routes take, by the name of the header or query. */
export const PARAMETERS = {
  'PAYMENT-SIGNATURE': header('PAYMENT-SIGNATURE', 'The payment (x402 version 2): base64 of JSON.'),
  'X-PAYMENT': header('X-PAYMENT', 'The payment (x402 version 1): base64 of JSON.'),
  'X-402-Version': header('X-402-Version', '`1` asks for the challenge of x402 version 1.', '1'),
  'Idempotency-Key': header('Idempotency-Key', 'Names the purchase, like the extension `payment-identifier`.'),
  'SIGN-IN-WITH-X': header('SIGN-IN-WITH-X', 'A message signed by the wallet of a subscriber.'),
  'If-None-Match': header('If-None-Match', 'The entity tag of the answer you have.'),
  Prefer: header('Prefer', '`wait=N`, at most 10: wait for the free look at a host never seen.', 'wait=5'),
  x402Version: {
    name: 'x402Version',
    in: 'query',
    required: false,
    description: '`1` asks for the challenge of x402 version 1, for clients that cannot set a header.',
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

/**
 * The parameters of a described route, path first. What the tool for the same product says of an argument is said here
 * as well.
 * @param call path and query of an example request, if one says more than the schema
 */
export function routeParameters(
  { path, params = {}, query }: Pick<RouteDescription, 'path' | 'params' | 'query'>,
  call: string | undefined,
  input: Readonly<Record<string, JsonSchema>> = {},
): readonly Members[] {
  const examples = call === undefined ? new Map<string, string>() : exampleValues(path, call);
  const parameter = (where: 'path' | 'query', required: boolean, [name, own]: [string, unknown]): Members => {
    const { description, ...schema } = { ...(own as JsonSchema), ...input[name] };
    const example = examples.get(name);
    return {
      name,
      in: where,
      required,
      ...(description === undefined ? {} : { description }),
      schema,
      ...(example === undefined ? {} : { example }),
    };
  };
  const needed = query?.required ?? [];
  return [
    ...Object.entries(params).map((entry) => parameter('path', true, entry)),
    ...Object.entries(query?.properties ?? {}).map((entry) => parameter('query', needed.includes(entry[0]), entry)),
  ];
}

/** The values that an example request has for the parameters of its route. */
function exampleValues(path: string, call: string): ReadonlyMap<string, string> {
  const { pathname, searchParams } = new URL(call, 'http://gateway');
  const parts = pathname.split('/');
  const named = path
    .split('/')
    .flatMap((part, i) => (part.startsWith(':') ? [[part.slice(1), parts[i] ?? ''] as const] : []));
  return new Map([...searchParams, ...named]);
}

/** `/hosts/:domain` as OpenAPI writes it. */
export function templateOf(path: string): string {
  return path.replace(/:([A-Za-z]+)/g, '{$1}');
}
