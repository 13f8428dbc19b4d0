import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { workFor, type Logger, type NamedRequest } from '@app/platform';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AllowedMethods } from './allowed-methods';
import {
  errorResponse,
  methodNotAllowed,
  responseOf,
  responseOfStatus,
  withRequestId,
  type ErrorResponse,
} from './error-response';

/** Another form of errors for some requests: for a program with its own protocol, or for a person. */
export interface ErrorForm {
  readonly wants: (request: FastifyRequest) => boolean;
  /** Status and headers of the response are already set, including `cache-control`. */
  readonly send: (response: ErrorResponse, request: FastifyRequest, reply: FastifyReply) => void;
}

export interface ErrorFilterDeps {
  readonly logger: Pick<Logger, 'error'>;
  readonly methods: Pick<AllowedMethods, 'of'>;
  readonly metrics: { error(status: number, code: unknown): void };
  /** The first form that accepts a request is used; all others get JSON. */
  readonly forms: readonly ErrorForm[];
}

/**
 * Turns everything thrown into `{ error, code, ... }` (behaviour 2.1), in the form that the client wants. An unknown
 * error is a bug: it is logged with the request id and answered with 500 without its message.
 */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  /** The replies of running handlers, by their request. */
  private readonly open = new Map<NamedRequest, FastifyReply>();

  constructor(private readonly deps: ErrorFilterDeps) {}

  /**
   * Runs handlers in the context of their request, so that their log lines carry its id and an unhandled rejection is
   * answered here. Earlier hooks and parsers do not log, and reading a body would lose the context, so their error
   * responses get the id directly.
   */
  observe(fastify: Pick<FastifyInstance, 'addHook'>): void {
    const handled = new WeakMap<FastifyRequest, NamedRequest>();
    fastify.addHook('preHandler', (request, reply, done) => {
      const named = { id: request.id };
      handled.set(request, named);
      this.open.set(named, reply);
      workFor(named, done);
    });
    fastify.addHook('onResponse', (request, _reply, done) => {
      const named = handled.get(request);
      if (named) this.open.delete(named);
      done();
    });
  }

  /**
   * Lets the sale send the answer to a request, because an unrelated error must not replace an answer that was charged
   * (behaviour 2.6).
   */
  leaveToSale(request: NamedRequest | undefined): void {
    if (request) this.open.delete(request);
  }

  /** Answers 500 if a handler left a rejected promise unhandled (behaviour 2.6). */
  fail(request: NamedRequest): void {
    const reply = this.open.get(request);
    if (reply && !reply.sent && !reply.raw.headersSent) this.send(responseOf('internal_error'), reply.request, reply);
  }

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  /** Also used for errors that do not reach a handler. */
  answer(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const response = errorResponse(error) ?? this.responseOfHttp(error, request) ?? responseOf('internal_error');
    if (response.status === 500) this.deps.logger.error({ err: error, requestId: request.id }, 'request failed');
    this.send(response, request, reply);
  }

  /** Also used for error responses that are not thrown. */
  send(response: ErrorResponse, request: FastifyRequest, reply: FastifyReply): void {
    const named = withRequestId(response, request.id);
    const { status, headers, text, body } = named;
    this.deps.metrics.error(status, body['code']);
    void reply.status(status).headers({ 'cache-control': 'no-store', ...headers });
    const form = this.deps.forms.find(({ wants }) => wants(request));
    if (form) form.send(named, request, reply);
    else void reply.type('application/json; charset=utf-8').send(text ?? JSON.stringify(body));
  }

  /** Errors of Nest and Fastify: unknown route, wrong method, broken JSON, wrong content type, body too large. */
  private responseOfHttp(error: unknown, request: FastifyRequest): ErrorResponse | undefined {
    const status = statusOf(error);
    if (status === undefined) return undefined;
    return status === 404 ? this.notFound(request) : responseOfStatus(status, causeOf(error));
  }

  /** A request that matched no route: the path is unknown, or exists for other methods. */
  private notFound({ url, method }: FastifyRequest): ErrorResponse {
    const allowed = this.deps.methods.of(url);
    if (allowed.length === 0 || allowed.includes(method)) return responseOf('not_found');
    return methodNotAllowed(allowed);
  }
}

function statusOf(error: unknown): number | undefined {
  if (error instanceof HttpException) return error.getStatus();
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return undefined;
  return typeof error.statusCode === 'number' ? error.statusCode : undefined;
}

/** Fastify's code of an error. Nest passes it on as the cause of its own error. */
function causeOf(error: unknown): unknown {
  const { cause = error } = error as { readonly cause?: unknown };
  return (cause as { readonly code?: unknown } | null)?.code;
}
