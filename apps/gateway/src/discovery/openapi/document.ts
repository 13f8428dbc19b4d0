import type { Route } from '../../routes/define-route';
import { schemasOf } from './components';
import type { OpenApiDocument } from '../../routes/openapi-document';
import { pathsOf, type Operation, type Paths } from '../../routes/operation';
import { PARAMETERS, SECURITY_SCHEMES } from '../../routes/parameters';
import { recordedExamples } from '../../routes/recorded-answers';
import { HEADERS, ERROR_RESPONSES } from '../../routes/responses';
import { componentRef, type Members } from '../../routes/schema';
import type { Installation } from '../../products/installation';

/**
 * The version of the interface, not of the product: it only changes when we withdraw a promise of docs/compatibility.md
 * (behaviour 14.1).
 */
const API_VERSION = '0.1.9';

const DESCRIPTION =
  'Check which agent protocols a host supports and whether agents can pay it, with the evidence. Stored reports are free; live probes and checks are paid per call, in USDC over x402.';

/** Guidance for agents that read only this field. */
const GUIDANCE =
  'Start with GET /api/v1/hosts/{domain}: it is free and never asks for payment. If cache.callabilityStale is true and you are about to pay the host, buy GET /api/v1/hosts/{domain}/refresh. A paid route answers 402 with PAYMENT-REQUIRED; sign one of its accepts and repeat the request with PAYMENT-SIGNATURE. Sending the same payment again returns the same answer and is not charged twice. Only 200 responses are charged.';

/**
 * Describes all routes of an installation.
 * @param routes in the order of the document
 */
export function openApiDocument(
  { baseUrl, contact }: Pick<Installation, 'baseUrl' | 'contact'>,
  routes: readonly Route<never>[],
): OpenApiDocument {
  const paths = withSamples(baseUrl, pathsOf(routes));
  return {
    openapi: '3.1.0',
    info: {
      title: 'hostprobe',
      version: API_VERSION,
      description: DESCRIPTION,
      contact: contactOf(contact ?? `${baseUrl}/prober`),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      'x-guidance': GUIDANCE,
    },
    servers: [{ url: baseUrl }],
    tags: [
      { name: 'hosts', description: 'Reports, live probes, changes and subscriptions.' },
      { name: 'checks', description: 'Paid checks of one host, endpoint, address or receipt.' },
      { name: 'mcp', description: 'Tools for agents.' },
      { name: 'discovery', description: 'Documents that describe this service to software.' },
      { name: 'pages', description: 'Feeds and badges.' },
      { name: 'service', description: 'Health of the service, public keys, and the prober.' },
    ],
    paths,
    components: {
      schemas: schemasOf(routes),
      headers: usedIn(paths, HEADERS),
      parameters: PARAMETERS,
      responses: ERROR_RESPONSES,
      examples: recordedExamples(baseUrl),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

function contactOf(url: string): Members {
  return url.startsWith('mailto:') ? { email: url.slice('mailto:'.length) } : { url };
}

/** Adds an example call to every operation. */
function withSamples(baseUrl: string, paths: Paths): Paths {
  return Object.fromEntries(
    Object.entries(paths).map(([path, operations]) => [
      path,
      Object.fromEntries(
        Object.entries(operations).map(([method, operation]: [string, Operation]) => [
          method,
          withSample(operation, { method, address: `${baseUrl}${path}` }),
        ]),
      ),
    ]),
  );
}

/** The headers that the operations use; pages have others. */
function usedIn(paths: Paths, headers: typeof HEADERS): OpenApiDocument['components']['headers'] {
  const text = JSON.stringify([paths, ERROR_RESPONSES]);
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => text.includes(`"${componentRef('headers', name).$ref}"`)),
  );
}

/**
 * Adds a shell command that calls the operation without a payment, with the examples of its path and required query
 * parameters.
 * @param address path template, with parameters as `{name}`
 */
function withSample(
  operation: Operation,
  { method, address }: { readonly method: string; readonly address: string },
): Operation {
  const own = (operation.parameters ?? []).filter((one): one is Members => !('$ref' in one));
  const exampleOf = (one: Members): string | undefined =>
    typeof one['example'] === 'string' ? one['example'] : undefined;
  const path = own.reduce(
    (text, one) => text.replace(`{${String(one['name'])}}`, exampleOf(one) ?? `{${String(one['name'])}}`),
    address,
  );
  const query = own
    .filter((one) => one['in'] === 'query' && one['required'] === true)
    .map((one) => `${String(one['name'])}=${encodeURIComponent(exampleOf(one) ?? '')}`)
    .join('&');
  const target = quoted(query === '' ? path : `${path}?${query}`);
  const verb = method === 'get' ? [] : [`-X ${method.toUpperCase()}`];
  const source = ['curl -i', ...verb, target, ...bodyOf(operation)].join(' ');
  return { ...operation, 'x-codeSamples': [{ lang: 'Shell', label: 'curl', source }] };
}

function bodyOf({ requestBody }: Operation): readonly string[] {
  const content = requestBody?.['content'] as Readonly<Record<string, { readonly example?: unknown }>> | undefined;
  const example = content?.['application/json']?.example;
  if (example === undefined) return [];
  return ["-H 'content-type: application/json'", `-d ${quoted(JSON.stringify(example))}`];
}

/** Quotes text for a POSIX shell. */
function quoted(text: string): string {
  return /^[\w:/.@%-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
