import { STATUS_OF } from './error-codes.js';
import type { components } from './openapi.js';

/** The codes known to this release; a newer service may have more. */
export type ErrorCode = keyof typeof STATUS_OF;
export type ErrorStatus = (typeof STATUS_OF)[ErrorCode];

type Schemas = components['schemas'];

/**
 * The fields of an error with this status, in addition to its code: the payment terms for 402, a message to sign for
 * 401.
 */
type ErrorBody<S> = Omit<
  S extends 402 ? Schemas['PaymentRequired'] : S extends 401 ? Schemas['SignInRequired'] : Schemas['Error'],
  'code'
>;

/** A payment that the facilitator refused. Nothing was charged, and the terms are for a new payment. */
export interface PaymentRefusedError extends ErrorBody<402> {
  readonly code: 'payment_refused';
  readonly status: 402;
  /** The facilitator's code. */
  readonly reason: string;
}

/** An error that only a newer service has. */
export interface UnlistedError extends ErrorBody<500> {
  readonly code: 'unlisted';
  readonly status: number;
  /** The code from the service. */
  readonly said: string;
}

/** The answer did not come from a hostprobe service, but from a proxy or another program. */
export interface ForeignError {
  readonly code: 'not_hostprobe';
  readonly status: number;
  readonly error: string;
}

type Unlisted = UnlistedError | ForeignError;

type Listed = {
  readonly [C in ErrorCode]: { readonly code: C; readonly status: (typeof STATUS_OF)[C] } & ErrorBody<
    (typeof STATUS_OF)[C]
  >;
}[ErrorCode];

/** The possible errors of a status, discriminated by `code`. */
export type ErrorOf<S> =
  Extract<Listed, { readonly status: S }> | (S extends 402 ? PaymentRefusedError : never) | Unlisted;

/** All possible errors of an answer, discriminated by `code`. None of them was charged. */
export type ServiceError = ErrorOf<ErrorStatus>;

/** Reads an unsuccessful answer as a {@link ServiceError}, including its body. */
export async function errorIn(answer: Response): Promise<ServiceError> {
  const { status } = answer;
  const body: unknown = await answer.json().catch(() => undefined);
  if (!isError(body))
    return { code: 'not_hostprobe', status, error: 'the server at this address is not a hostprobe service' };
  const { code } = body;
  if (Object.hasOwn(STATUS_OF, code)) return { ...body, status } as unknown as ServiceError;
  if (status === 402)
    return { ...body, code: 'payment_refused', reason: code, status } as unknown as PaymentRefusedError;
  return { ...body, code: 'unlisted', said: code, status };
}

function isError(body: unknown): body is { readonly code: string; readonly error: string } {
  return (
    typeof body === 'object' &&
    body !== null &&
    'code' in body &&
    typeof body.code === 'string' &&
    'error' in body &&
    typeof body.error === 'string'
  );
}
