import { TargetBusyError } from '@app/limits';
import { firstVersionBody, PaymentConflictError, PaymentRequiredError, PaymentUnavailableError } from '@app/payments';
import { isStorageAway } from '@app/persistence';
import type { FastifyRequest } from 'fastify';
import { OptedOutError, ProbeFailedError, ProbesUnavailableError, ProbeTimeoutError } from '../probes/probe-errors';
import { receiptHeaders } from './receipt-headers';
import { RequestError } from './request-error';

/** An error as it is answered: `{ error, code, ... }` with a status and headers (contract 2). */
export interface RenderedError {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body as JSON, where it was rendered before. */
  readonly text?: string;
}

/** What of a request decides how an error looks. */
type Asking = Pick<FastifyRequest, 'headers' | 'query' | 'id'>;

/** Retry hints of our own outages, in seconds. */
const RETRY_SEC = 5;

/** It may have gone after the money moved: the same payment finds out, and is never charged twice. */
const STORAGE_AWAY = 'our storage is out of reach; send the very same request again in a moment';

/** The answer to each error that operations throw on purpose, here and nowhere else; undefined for all others. */
export function renderError(error: unknown, request: Asking): RenderedError | undefined {
  const rendered = renderKnown(error, request);
  return rendered && withRequestId(rendered, request);
}

/** A fault of ours names the request, so that it can be found in the log. */
export function withRequestId(rendered: RenderedError, { id }: Pick<Asking, 'id'>): RenderedError {
  return rendered.status < 500 ? rendered : { ...rendered, body: { ...rendered.body, requestId: id } };
}

function renderKnown(error: unknown, request: Asking): RenderedError | undefined {
  if (error instanceof PaymentRequiredError) return challenged(error, request);
  if (error instanceof RequestError) {
    const body = { error: error.message, code: error.code, ...error.extra };
    const { retryAfterSec } = error.extra;
    const headers = {
      ...(typeof retryAfterSec === 'number' ? { 'retry-after': String(retryAfterSec) } : {}),
      ...(error.status === 401 ? { 'www-authenticate': 'Bearer realm="subscription"' } : {}),
    };
    return { status: error.status, body, headers };
  }
  if (error instanceof PaymentConflictError) return { status: 409, body: { error: error.message, code: error.code } };
  if (error instanceof PaymentUnavailableError) return retriable(503, error.code, error.message, error.retryAfterSec);
  if (error instanceof ProbesUnavailableError) return retriable(503, error.code, error.message, RETRY_SEC);
  if (error instanceof TargetBusyError) return retriable(429, error.code, error.message, error.retryAfterSec);
  if (error instanceof OptedOutError) return { status: 403, body: { error: error.message, code: error.code } };
  if (error instanceof ProbeTimeoutError)
    return retriable(504, error.code, error.message, RETRY_SEC, { charged: false });
  if (error instanceof ProbeFailedError)
    return retriable(502, error.code, error.message, RETRY_SEC, { charged: false });
  if (isStorageAway(error)) return retriable(503, 'storage_away', STORAGE_AWAY, RETRY_SEC);
  return undefined;
}

function challenged({ challenge, failed }: PaymentRequiredError, request: Asking): RenderedError {
  const { body, header, text } = challenge;
  const version = wantsFirstVersion(request) ? 1 : 2;
  const receipt = failed && receiptHeaders({ success: false, errorReason: failed.reason, ...failed }, version);
  return {
    status: 402,
    ...(version === 1 ? { body: { ...firstVersionBody(body) } } : { body: { ...body }, text }),
    headers: { 'payment-required': header, ...receipt },
  };
}

/**
 * Version 1 clients read the body and refuse one of version 2, so they ask for theirs, or have shown who they are. The
 * header stays of version 2 in any case: clients that know it look there first.
 */
function wantsFirstVersion({ headers, query }: Asking): boolean {
  if (headers['x-402-version'] === '1' || (query as { x402Version?: unknown }).x402Version === '1') return true;
  return headers['x-payment'] !== undefined && headers['payment-signature'] === undefined;
}

function retriable(
  status: number,
  code: string,
  error: string,
  retryAfterSec: number,
  extra: Record<string, unknown> = {},
): RenderedError {
  return { status, body: { error, code, retryAfterSec, ...extra }, headers: { 'retry-after': String(retryAfterSec) } };
}
