import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Logger } from '@app/observability';
import { TargetBusyError } from '@app/limits';
import { firstVersionBody, PaymentConflictError, PaymentRequiredError, PaymentUnavailableError } from '@app/payments';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OptedOutError, ProbeFailedError, ProbesUnavailableError, ProbeTimeoutError } from '../probes/probe-errors';
import type { AllowedMethods } from './allowed-methods';
import { receiptHeaders } from './receipt-headers';
import { RequestError } from './request-error';

interface Rendered {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Retry hints of our own outages, in seconds. */
const RETRY_SEC = 5;

/**
 * Every throwable becomes `{ error, code, ... }` (contract 2), here and nowhere else. What is not known is a bug: it is
 * logged with the request's id and answered 500 without a word of it.
 */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    private readonly logger: Logger,
    private readonly methods: AllowedMethods,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const rendered = this.render(error, request);
    if (rendered.status === 500) this.logger.error({ err: error, requestId: request.id }, 'request failed');
    void reply
      .status(rendered.status)
      .headers({ 'cache-control': 'no-store', ...rendered.headers })
      .type('application/json; charset=utf-8')
      .send(JSON.stringify({ ...rendered.body, ...(rendered.status >= 500 ? { requestId: request.id } : {}) }));
  }

  private render(error: unknown, request: FastifyRequest): Rendered {
    if (error instanceof PaymentRequiredError) return challenged(error, request);
    if (error instanceof RequestError) {
      const body = { error: error.message, code: error.code, ...error.extra };
      const { retryAfterSec } = error.extra;
      const headers = typeof retryAfterSec === 'number' ? { 'retry-after': String(retryAfterSec) } : {};
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
    return (
      this.renderHttp(error, request) ?? { status: 500, body: { error: 'internal error', code: 'internal_error' } }
    );
  }

  /** Errors of Nest and Fastify: unknown route, wrong method, broken JSON, wrong type, too large. */
  private renderHttp(error: unknown, request: FastifyRequest): Rendered | undefined {
    const status = statusOf(error);
    if (status === 404) {
      const allowed = this.methods.of(request.url.split('?', 1)[0] ?? '');
      if (allowed.length > 0 && !allowed.includes(request.method)) {
        const allow = allowed.join(', ');
        return {
          status: 405,
          body: { error: `use ${allow} here`, code: 'method_not_allowed', allowed },
          headers: { allow },
        };
      }
      return { status: 404, body: { error: 'there is no such route', code: 'not_found' } };
    }
    const sentence = status === undefined ? undefined : SENTENCES[status];
    return status === undefined || !sentence ? undefined : { status, body: { error: sentence[1], code: sentence[0] } };
  }
}

const SENTENCES: Readonly<Record<number, readonly [code: string, error: string]>> = {
  400: ['bad_request', 'the request could not be read'],
  413: ['body_too_large', 'the body must not be larger than 64 KiB'],
  414: ['path_too_long', 'the path is too long'],
  415: ['unsupported_media_type', 'send application/json'],
  431: ['headers_too_large', 'the request headers are too large'],
};

function statusOf(error: unknown): number | undefined {
  if (error instanceof HttpException) return error.getStatus();
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return undefined;
  return typeof error.statusCode === 'number' ? error.statusCode : undefined;
}

function challenged({ challenge, failed }: PaymentRequiredError, request: FastifyRequest): Rendered {
  const { body, header } = challenge;
  const version = wantsFirstVersion(request) ? 1 : 2;
  const receipt = failed && receiptHeaders({ success: false, errorReason: failed.reason, ...failed }, version);
  return {
    status: 402,
    body: { ...(version === 1 ? firstVersionBody(body) : body) },
    headers: { 'payment-required': header, ...receipt },
  };
}

/**
 * Version 1 clients read the body and refuse one of version 2, so they ask for theirs, or have shown who they are. The
 * header stays of version 2 in any case: clients that know it look there first.
 */
function wantsFirstVersion({ headers, query }: FastifyRequest): boolean {
  if (headers['x-402-version'] === '1' || (query as { x402Version?: unknown }).x402Version === '1') return true;
  return headers['x-payment'] !== undefined && headers['payment-signature'] === undefined;
}

function retriable(
  status: number,
  code: string,
  error: string,
  retryAfterSec: number,
  extra: Record<string, unknown> = {},
): Rendered {
  return { status, body: { error, code, retryAfterSec, ...extra }, headers: { 'retry-after': String(retryAfterSec) } };
}
