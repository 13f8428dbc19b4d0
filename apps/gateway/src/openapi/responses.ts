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
export type Responses = Readonly<Record<string, Response | Ref>>;

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
  Location: text('Where to go on.'),
  Vary: text('Request headers the answer depends on.'),
  'WWW-Authenticate': text('How a subscriber is told.'),
  Signature: text('Proof of the keys (RFC 9421).'),
  'Signature-Input': text('What is signed, and how (RFC 9421).'),
  Link: text('Where the documents for machines are (RFC 8288).'),
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

export function json(schema: JsonSchema | Ref, example?: unknown): Members {
  return { 'application/json': { schema, ...(example === undefined ? {} : { example }) } };
}

const error = json(componentRef('schemas', 'Error'));
const RETRY: readonly HeaderName[] = ['Retry-After'];

/** `components.responses`: why a request is refused (contract 2). */
export const REFUSALS = {
  InputWrong: response('The input is wrong. No payment is asked for.', [], error),
  SubscriberUnknown: response(
    'The key or the signed message is no good here.',
    ['WWW-Authenticate', 'Vary', ...RETRY],
    json(componentRef('schemas', 'SignInRequired')),
  ),
  OptedOut: response('The owner of the host has asked not to be probed.', [], error),
  NotFound: response('There is none.', [], error),
  PaymentUsed: response('This payment, or its identifier, bought something else.', [], error),
  BodyTooLarge: response('The body is larger than 64 KiB.', [], error),
  BodyNotJson: response('The body is not JSON.', [], error),
  TooMany: response('Too many requests, or the host is asked too often. No payment is asked for.', RETRY, error),
  Fault: response('A fault of ours. Nothing was charged.', [], error),
  LookFailed: response('The look failed on our side. Nothing was charged.', RETRY, error),
  NotNow: response('No worker, or payments or storage are away. The same payment may be sent again.', RETRY, error),
  LookTimedOut: response('The look did not end in time. Nothing was charged.', RETRY, error),
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
  502: 'LookFailed',
  503: 'NotNow',
  504: 'LookTimedOut',
} as const satisfies Readonly<Record<number, keyof typeof REFUSALS>>;

export type Refusal = keyof typeof BY_STATUS;

/** The refusals of a route; for any there may be too many requests, a fault of ours, or no storage. */
export function refusals(...statuses: readonly Refusal[]): Responses {
  const all: readonly Refusal[] = [...statuses, 429, 500, 503];
  return Object.fromEntries(all.map((status) => [String(status), componentRef('responses', BY_STATUS[status])]));
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
