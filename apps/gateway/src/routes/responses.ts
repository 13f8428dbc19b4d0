import { defined } from '@app/platform';
import type { JsonSchema } from './json-schema';
import { componentRef, type Members, type Ref } from './schema';

/** https://spec.openapis.org/oas/v3.1.0#response-object */
export interface Response {
  readonly description: string;
  readonly headers: Readonly<Record<string, Ref>>;
  /** The content by media type; missing without a body. */
  readonly content?: Readonly<Record<string, unknown>>;
  /**
   * The media types that other `Accept` values get. In `content`, they would make generated clients read a union
   * instead of the JSON.
   */
  readonly 'x-other-content'?: Readonly<Record<string, unknown>>;
}

/** By status. */
export type Responses = Readonly<Record<string, Response | Ref>>;

const text = (description: string): Members => ({ description, schema: { type: 'string' } });

/** `components.headers`. */
export const HEADERS = {
  'Request-Id': text(
    'The request id, also in error bodies and our log. To set your own, send 8 to 64 letters, digits, - or _ in this header.',
  ),
  'Retry-After': { description: 'Seconds to wait before retrying.', schema: { type: 'integer' } },
  RateLimit: text('The remaining requests, and the seconds until the limit resets.'),
  'RateLimit-Policy': text('The rate limit.'),
  'PAYMENT-REQUIRED': text('The x402 version 2 challenge: base64 of JSON.'),
  'PAYMENT-RESPONSE': text('The payment receipt: base64 of JSON. Missing when no settlement was attempted.'),
  'X-PAYMENT-RESPONSE': text('The payment receipt for x402 version 1.'),
  'Idempotent-Replayed': text('`true` when this payment already bought this answer.'),
  'Hostprobe-Statement': text('The signed statement about the host, a compact JWS.'),
  'Repr-Digest': text('SHA-256 of the body (RFC 9530).'),
  ETag: text('A strong entity tag of the body.'),
  Age: {
    description: 'Seconds since the body was read from the database. Sent only while the database is unavailable.',
    schema: { type: 'integer' },
  },
  'Cache-Control': text('Which caches may store the response, and for how long.'),
  Location: text('The URL of the page or of the new resource.'),
  Vary: text('The request headers that the response depends on.'),
  'WWW-Authenticate': text('How to authenticate.'),
  Signature: text('The signature (RFC 9421).'),
  'Signature-Input': text('What is signed, and how (RFC 9421).'),
  'Content-Digest': text('The digest of the body, covered by the signature (RFC 9530).'),
  Link: text('Links to machine-readable documents, or to the statement about a report (`describedby`, RFC 8288).'),
  'Content-Security-Policy': text('What the page is allowed to load.'),
  'Content-Disposition': text('The file name.'),
} as const satisfies Readonly<Record<string, Members>>;

type HeaderName = keyof typeof HEADERS;

/** Headers of every response: its request id, the remaining quota, caching. */
const ALWAYS: readonly HeaderName[] = ['Request-Id', 'RateLimit', 'RateLimit-Policy', 'Cache-Control'];
/** The headers of a payment's outcome. */
export const RECEIPT: readonly HeaderName[] = [
  'PAYMENT-RESPONSE',
  'X-PAYMENT-RESPONSE',
  'Idempotent-Replayed',
  'Hostprobe-Statement',
];

function headersOf(names: readonly HeaderName[]): Readonly<Record<string, Ref>> {
  return Object.fromEntries(names.map((name) => [name, componentRef('headers', name)]));
}

/** A response with its headers and its optional body. */
export function response(description: string, headers: readonly HeaderName[], content?: Members): Response {
  return defined({ description, headers: headersOf([...ALWAYS, ...headers]), content });
}

export function json(schema: JsonSchema | Ref, example?: unknown): Members {
  return { 'application/json': defined({ schema, example }) };
}

const error = json(componentRef('schemas', 'Error'));
/** The 409 of free routes. */
export const conflict = (description: string): Response => response(description, [], error);
/** The 401 of routes that need the key of one resource. */
export const keyRefused = (description: string): Response => response(description, ['WWW-Authenticate'], error);
const RETRY: readonly HeaderName[] = ['Retry-After'];

/** `components.responses`: the error responses of routes (behaviour 2.4). */
export const ERROR_RESPONSES = {
  InputWrong: response('Invalid input. No payment is requested.', [], error),
  SubscriberUnknown: response(
    'The key or signed message is missing, invalid, or for another host.',
    ['WWW-Authenticate', 'Vary', ...RETRY],
    json(componentRef('schemas', 'SignInRequired')),
  ),
  OptedOut: response('The owner of the host opted out of probes.', [], error),
  NotFound: response('Not found.', [], error),
  PaymentUsed: response('This payment or its identifier was already used for another request.', [], error),
  BodyTooLarge: response('The body is larger than 64 KiB.', [], error),
  BodyNotJson: response('The body is not JSON.', [], error),
  TooMany: response('Too many requests, or too many probes of the host. No payment is requested.', RETRY, error),
  Fault: response('Internal error. Nothing was charged.', [], error),
  ProbeFailed: response('The probe failed on our side. Nothing was charged.', RETRY, error),
  NotNow: response(
    'Workers, payments or the database are unavailable. Send the same payment again later.',
    RETRY,
    error,
  ),
  ProbeTimedOut: response('The probe timed out. Nothing was charged.', RETRY, error),
} as const satisfies Readonly<Record<string, Response>>;

const BY_STATUS = {
  400: 'InputWrong',
  401: 'SubscriberUnknown',
  403: 'OptedOut',
  404: 'NotFound',
  409: 'PaymentUsed',
  413: 'BodyTooLarge',
  415: 'BodyNotJson',
  429: 'TooMany',
  500: 'Fault',
  502: 'ProbeFailed',
  503: 'NotNow',
  504: 'ProbeTimedOut',
} as const satisfies Readonly<Record<number, keyof typeof ERROR_RESPONSES>>;

export type ErrorStatus = keyof typeof BY_STATUS;

/** The error responses of a route. Every route has those for rate limits, internal errors and unavailable storage. */
export function errorResponses(...statuses: readonly ErrorStatus[]): Responses {
  const all: readonly ErrorStatus[] = [...statuses, 429, 500, 503];
  return Object.fromEntries(all.map((status) => [String(status), componentRef('responses', BY_STATUS[status])]));
}

/** The responses of a paid route: the answer, or the challenge. */
export function paidAnswer(content: Members, challenge: unknown, headers: readonly HeaderName[] = []): Responses {
  return {
    200: response('The purchased response.', [...RECEIPT, ...headers], content),
    402: challenged('Payment required. Pay, and send the same request again with PAYMENT-SIGNATURE.', challenge),
  };
}

/** A challenge; after a refused payment, with the reason. */
export function challenged(description: string, example?: unknown): Response {
  return response(
    description,
    ['PAYMENT-REQUIRED', 'PAYMENT-RESPONSE', 'X-PAYMENT-RESPONSE'],
    json(componentRef('schemas', 'PaymentRequired'), example),
  );
}

/** The responses of a free request that creates a resource. */
export const begun = (description: string, content: Members): Responses => ({
  201: response(description, ['Location'], content),
});

/** The response after deleting a resource. */
export const ENDED: Responses = { 204: response('Ended; all its data was deleted.', []) };

/** A free answer with an entity tag. */
export function validatedAnswer(
  description: string,
  content: Members,
  headers: readonly HeaderName[] = [],
): Readonly<Record<200 | 304, Response>> {
  return {
    200: response(description, ['ETag', 'Age', 'Vary', ...headers], content),
    304: response('Not modified.', ['ETag', 'Age', 'Vary', ...headers]),
  };
}
