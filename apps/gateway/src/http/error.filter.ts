import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Logger } from '@app/observability';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayMetrics } from '../metrics/gateway-metrics';
import { idOf, rpcError } from '../mcp/json-rpc';
import { isMcpPath } from '../mcp/mcp-path';
import { asksForPage } from '../pages/errors/asks-for-page';
import { refusalPage } from '../pages/errors/error-pages';
import { PAGE_HEADERS } from '../pages/layout/page-response';
import type { AllowedMethods } from './allowed-methods';
import { refusalOf } from './refusals';
import { renderError, withRequestId, type RenderedError } from './rendered-error';

/** Longest name that is shown again in the search field: the longest there is. */
const MAX_ASKED = 253;

/**
 * Every throwable becomes `{ error, code, ... }` (contract 2), at the MCP endpoint within a JSON-RPC error, and a page
 * for a person. What is not known is a bug: it is logged with the request's id and answered 500 without a word of it.
 */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    private readonly logger: Logger,
    private readonly methods: AllowedMethods,
    private readonly metrics: Pick<GatewayMetrics, 'error'>,
  ) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  /** For errors that never come to a handler, too. */
  answer(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const rendered = this.render(error, request);
    this.metrics.error(rendered.status, rendered.body['code']);
    if (rendered.status === 500) this.logger.error({ err: error, requestId: request.id }, 'request failed');
    if (asksForPage(request)) {
      sendPage(reply, rendered, request);
      return;
    }
    void reply
      .status(rendered.status)
      .headers({ 'cache-control': 'no-store', ...rendered.headers })
      .type('application/json; charset=utf-8')
      .send(bodyOf(rendered, request));
  }

  private render(error: unknown, request: FastifyRequest): RenderedError {
    return (
      renderError(error, request) ??
      this.renderHttp(error, request) ??
      withRequestId({ status: 500, body: { error: 'internal error', code: 'internal_error' } }, request)
    );
  }

  /** Errors of Nest and Fastify: unknown route, wrong method, broken JSON, wrong type, too large. */
  private renderHttp(error: unknown, request: FastifyRequest): RenderedError | undefined {
    const status = statusOf(error);
    if (status === undefined) return undefined;
    if (status === 404) return this.renderUnmet(request);
    const body = refusalOf(status, causeOf(error));
    return body && { status, body };
  }

  /** A request that met no route: the path is unknown, or has other methods. */
  private renderUnmet({ url, method }: FastifyRequest): RenderedError {
    const allowed = this.methods.of(url.split('?', 1)[0] ?? '');
    if (allowed.length === 0 || allowed.includes(method)) {
      return { status: 404, body: { error: 'there is no such route', code: 'not_found' } };
    }
    return {
      status: 405,
      body: { error: `use ${allowed.join(' or ')} here`, code: 'method_not_allowed', allowed },
      headers: { allow: allowed.join(', ') },
    };
  }
}

function bodyOf(rendered: RenderedError, { url, body }: FastifyRequest): string {
  if (isMcpPath(url)) return JSON.stringify(rpcError(idOf(body), rendered));
  return rendered.text ?? JSON.stringify(rendered.body);
}

/** The same error for a person; a name that was looked up in vain stays in the search field. */
function sendPage(
  reply: FastifyReply,
  { status, body, headers }: RenderedError,
  { query, params }: FastifyRequest,
): void {
  const { domain } = { ...(query as object), ...(params as object) } as { readonly domain?: unknown };
  const asked = typeof domain === 'string' ? domain.slice(0, MAX_ASKED) : '';
  void reply
    .status(status)
    .headers({ ...headers, ...PAGE_HEADERS, 'cache-control': 'no-store' })
    .send(refusalPage(status, String(body['code']), String(body['error']), asked));
}

function statusOf(error: unknown): number | undefined {
  if (error instanceof HttpException) return error.getStatus();
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return undefined;
  return typeof error.statusCode === 'number' ? error.statusCode : undefined;
}

/** Fastify's code of an error, which Nest hands on as the cause of its own. */
function causeOf(error: unknown): unknown {
  const { cause = error } = error as { readonly cause?: unknown };
  return (cause as { readonly code?: unknown } | null)?.code;
}
