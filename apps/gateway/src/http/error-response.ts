import { TargetBusyError } from '@app/limits';
import { defined } from '@app/platform';
import { PaymentConflictError } from '@app/payments';
import { isConnectionError } from '@app/storage';
import { errorEntry, type ErrorCode } from './error-codes';
import { RequestError } from './request-error';

/** A response other than 2xx: `{ error, code, ... }` with a status and headers (behaviour 2.1). */
export interface ErrorResponse {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body as JSON text, if it is already rendered. */
  readonly text?: string;
}

/** The error response of a code. `extra` adds fields to the body and overrides those of the catalog. */
export function responseOf(
  code: ErrorCode,
  sentence: string = errorEntry(code).sentence,
  extra: Readonly<Record<string, unknown>> = {},
): ErrorResponse {
  const { status, retryAfterSec, charged } = errorEntry(code);
  const body = { error: sentence, code, ...defined({ retryAfterSec, charged }), ...extra };
  const headers = defined({
    'retry-after': typeof body.retryAfterSec === 'number' ? String(body.retryAfterSec) : undefined,
    'www-authenticate': status === 401 ? authenticateBy(code) : undefined,
  });
  return { status, body, headers };
}

/** 405 with `Allow`: the path exists, but not for this method. */
export function methodNotAllowed(allowed: readonly string[]): ErrorResponse {
  const response = responseOf('method_not_allowed', `Method not allowed; use ${allowed.join(' or ')}.`, { allowed });
  return { ...response, headers: { allow: allowed.join(', ') } };
}

/** The error response for an error thrown on purpose; undefined for all others. */
export function errorResponse(error: unknown): ErrorResponse | undefined {
  if (error instanceof RequestError) return responseOf(error.code, error.message, error.extra);
  if (error instanceof PaymentConflictError) return responseOf(error.code);
  if (error instanceof TargetBusyError) {
    return responseOf(error.code, undefined, { retryAfterSec: error.retryAfterSec });
  }
  return isConnectionError(error) ? responseOf('storage_unavailable') : undefined;
}

/**
 * Adds the request id, so that the request can be found in the log. Challenges stay without one, because many requests
 * share them.
 */
export function withRequestId(response: ErrorResponse, id: string): ErrorResponse {
  return response.status === 402 ? response : { ...response, body: { ...response.body, requestId: id } };
}

/** Our codes for the statuses of HTTP errors. */
const OF_STATUS: Readonly<Record<number, ErrorCode>> = {
  400: 'bad_request',
  408: 'request_timeout',
  413: 'body_too_large',
  414: 'path_too_long',
  415: 'unsupported_media_type',
  431: 'headers_too_large',
};

/** More precise messages for Fastify's error codes (https://fastify.dev/docs/latest/Reference/Errors/). */
const UNREADABLE: Readonly<Record<string, string>> = {
  FST_ERR_BAD_URL: 'The percent-encoding of the path is not UTF-8.',
  FST_ERR_CTP_INVALID_JSON_BODY: 'The body is not valid JSON.',
};

/** The error response of a status; undefined if the status is not an HTTP error. */
export function responseOfStatus(status: number, cause?: unknown): ErrorResponse | undefined {
  const code = OF_STATUS[status];
  return code && responseOf(code, typeof cause === 'string' ? UNREADABLE[cause] : undefined);
}

/** How to authenticate: with the operator's password, or with the key for the resource that the code is about. */
function authenticateBy(code: ErrorCode): string {
  if (code === 'login_required') return 'Basic realm="hostprobe operator", charset="UTF-8"';
  return `Bearer realm="${['claim', 'watch'].find((realm) => code.startsWith(`${realm}_`)) ?? 'subscription'}"`;
}
