import type { JsonSchema } from '../mcp/json-schema';
import { componentRef, type Members, type Ref } from './schema';

/** https://spec.openapis.org/oas/v3.1.0#response-object */
export interface Response {
  readonly description: string;
  readonly headers: Readonly<Record<string, Ref>>;
  /** By media type; none without a body. */
  readonly content?: Readonly<Record<string, unknown>>;
}

/** By status. */
export type Responses = Readonly<Record<string, Response>>;

const text = (description: string): Members => ({ description, schema: { type: 'string' } });

/** `components.headers`. */
export const HEADERS = {
  'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } },
  RateLimit: text('What is left of the quota, and for how many seconds.'),
  'RateLimit-Policy': text('The quota.'),
  'PAYMENT-REQUIRED': text('The challenge of x402 version 2: base64 of JSON.'),
  'PAYMENT-RESPONSE': text('How the payment ended: base64 of JSON. Missing when nothing was charged.'),
  'X-PAYMENT-RESPONSE': text('The same for payers of x402 version 1.'),
  'Idempotent-Replayed': text('`true` when this payment had bought the answer before.'),
  ETag: text('Strong; changes with the body.'),
  'Cache-Control': text('Who may keep the answer, and how long.'),
  Vary: text('Request headers the answer depends on.'),
  'WWW-Authenticate': text('How a subscriber is told.'),
  Signature: text('Proof of the keys (RFC 9421).'),
  'Signature-Input': text('What is signed, and how (RFC 9421).'),
  'Content-Security-Policy': text('What the page may load.'),
} as const satisfies Readonly<Record<string, Members>>;

type HeaderName = keyof typeof HEADERS;

/** Any answer may say what is left of a quota. */
const ALWAYS: readonly HeaderName[] = ['RateLimit', 'RateLimit-Policy', 'Cache-Control'];
/** How a payment ended. */
export const RECEIPT: readonly HeaderName[] = ['PAYMENT-RESPONSE', 'X-PAYMENT-RESPONSE', 'Idempotent-Replayed'];

function headersOf(names: readonly HeaderName[]): Readonly<Record<string, Ref>> {
  return Object.fromEntries(names.map((name) => [name, componentRef('headers', name)]));
}

/** A response with its headers, and a body unless there is none. */
export function response(description: string, headers: readonly HeaderName[], content?: Members): Response {
  return { description, headers: headersOf([...ALWAYS, ...headers]), ...(content ? { content } : {}) };
}

/** The responses, each with more headers. */
export function withHeaders(responses: Responses, names: readonly HeaderName[]): Responses {
  return Object.fromEntries(
    Object.entries(responses).map(([status, one]) => [
      status,
      { ...one, headers: { ...one.headers, ...headersOf(names) } },
    ]),
  );
}

export function json(schema: JsonSchema | Ref, example?: unknown): Members {
  return { 'application/json': { schema, ...(example === undefined ? {} : { example }) } };
}

const error = (name = 'Error'): Members => json(componentRef('schemas', name));
const RETRY: readonly HeaderName[] = ['Retry-After'];

/** Why a request is refused, by status (contract 2). */
const REFUSALS = {
  400: response('The input is wrong. No payment is asked for.', [], error()),
  401: response(
    'The key or the signed message is no good here.',
    ['WWW-Authenticate', ...RETRY],
    error('SignInRequired'),
  ),
  403: response('The owner of the host has asked not to be probed.', [], error()),
  404: response('There is none.', [], error()),
  409: response('This payment, or its identifier, bought something else.', [], error()),
  413: response('The body is larger than 64 KiB.', [], error()),
  415: response('The body is not JSON.', [], error()),
  429: response('Too many requests, or the host is asked too often. No payment is asked for.', RETRY, error()),
  500: response('A fault of ours. Nothing was charged.', [], error()),
  502: response('The look failed on our side. Nothing was charged.', RETRY, error()),
  503: response('Not now: no worker, or payments are away. The same payment may be sent again.', RETRY, error()),
  504: response('The look did not end in time. Nothing was charged.', RETRY, error()),
} as const satisfies Readonly<Record<number, Response>>;

export type Refusal = keyof typeof REFUSALS;

/** The refusals of a route; any may be of one of the last two kinds. */
export function refusals(...statuses: readonly Refusal[]): Responses {
  return Object.fromEntries([...statuses, 429, 500].map((status) => [String(status), REFUSALS[status as Refusal]]));
}

/** A paid answer: what was bought, or what it costs. */
export function paidAnswer(content: Members, challenge: unknown): Responses {
  return {
    200: response('What was bought.', RECEIPT, content),
    402: challenged('Pay, and send the same request again with PAYMENT-SIGNATURE.', challenge),
  };
}

/** The challenge, or why a payment was refused. */
export function challenged(description: string, example?: unknown): Response {
  return response(
    description,
    ['PAYMENT-REQUIRED', 'PAYMENT-RESPONSE', 'X-PAYMENT-RESPONSE'],
    json(componentRef('schemas', 'PaymentRequired'), example),
  );
}

/** A free answer that whoever has it need not load again. */
export function validatedAnswer(description: string, content: Members, headers: readonly HeaderName[] = []): Responses {
  return {
    200: response(description, ['ETag', ...headers], content),
    304: response('Unchanged since the entity tag that was sent.', ['ETag', ...headers]),
  };
}
