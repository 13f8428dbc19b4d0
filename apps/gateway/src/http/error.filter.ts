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

/** Another form of errors, for some requests: for a program that speaks another protocol, or for a person. */
export interface ErrorForm {
  readonly wants: (request: FastifyRequest) => boolean;
  /** Status and headers of the response are set already, `cache-control` with them. */
  readonly send: (response: ErrorResponse, request: FastifyRequest, reply: FastifyReply) => void;
}

export interface ErrorFilterDeps {
  readonly logger: Pick<Logger, 'error'>;
  readonly methods: Pick<AllowedMethods, 'of'>;
  readonly metrics: { error(status: number, code: unknown): void };
  /** The first that wants a request gets it; JSON is for all others. */
  readonly forms: readonly ErrorForm[];
}

/**
 * Every throwable becomes `{ error, code, ... }` (behaviour 2.1), in the form its reader wants. What is not known is a bug:
 * it is logged with the request's id and answered 500 without its message.
 */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  /** Replies that handlers are working on, by what they are worked on for. */
  private readonly open = new Map<NamedRequest, FastifyReply>();

  constructor(private readonly deps: ErrorFilterDeps) {}

  /**
   * What a handler does is logged under the id of its request, and a promise of it that nothing handles is answered here.
   * Hooks and parsers before it log nothing, and reading a body would lose the context; their error responses name the id
   * themselves.
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
   * Leaves a request to the sale that it pays for, which ends in an answer of its own: an error beside it must not take the
   * place of what was charged (behaviour 2.6).
   */
  leaveToSale(request: NamedRequest | undefined): void {
    if (request) this.open.delete(request);
  }

  /** Answers 500 to a request whose handler left a rejected promise unhandled (behaviour 2.6). */
  fail(request: NamedRequest): void {
    const reply = this.open.get(request);
    if (reply && !reply.sent && !reply.raw.headersSent) this.send(responseOf('internal_error'), reply.request, reply);
  }

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
  }

  /** For errors that never come to a handler, too. */
  answer(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    const response = errorResponse(error) ?? this.responseOfHttp(error, request) ?? responseOf('internal_error');
    if (response.status === 500) this.deps.logger.error({ err: error, requestId: request.id }, 'request failed');
    this.send(response, request, reply);
  }

  /** For what is answered without being thrown, too. */
  send(response: ErrorResponse, request: FastifyRequest, reply: FastifyReply): void {
    const named = withRequestId(response, request.id);
    const { status, headers, text, body } = named;
    this.deps.metrics.error(status, body['code']);
    void reply.status(status).headers({ 'cache-control': 'no-store', ...headers });
    const form = this.deps.forms.find(({ wants }) => wants(request));
    if (form) form.send(named, request, reply);
    else void reply.type('application/json; charset=utf-8').send(text ?? JSON.stringify(body));
  }

  /** Errors of Nest and Fastify: unknown route, wrong method, broken JSON, wrong type, too large. */
  private responseOfHttp(error: unknown, request: FastifyRequest): ErrorResponse | undefined {
    const status = statusOf(error);
    if (status === undefined) return undefined;
    return status === 404 ? this.notFound(request) : responseOfStatus(status, causeOf(error));
  }

  /** A request that met no route: the path is unknown, or has other methods. */
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

/** Fastify's code of an error, which Nest hands on as the cause of its own. */
function causeOf(error: unknown): unknown {
  const { cause = error } = error as { readonly cause?: unknown };
  return (cause as { readonly code?: unknown } | null)?.code;
}
