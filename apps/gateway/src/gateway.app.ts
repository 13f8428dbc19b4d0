import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Config } from '@app/config';
import { withRequestId, type Logger } from '@app/observability';
import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { GatewayModule } from './gateway.module';
import { HostReportsService } from './hosts/host-reports.service';
import { answerPlainReads } from './hosts/plain-reads';
import { AllowedMethods } from './http/allowed-methods';
import { answerClientError } from './http/client-error';
import { answerOptions, openToAnyOrigin, openToOrigins } from './http/cross-origin';
import { ErrorFilter } from './http/error.filter';
import { RateLimits } from './limits/rate-limits';
import { GatewayMetrics } from './metrics/gateway-metrics';
import { registerOperatorPages } from './operator/operator-pages';
import { Drain } from './shutdown/drain';

/** Contract 2. */
const BODY_LIMIT = 65_536;
/** All headers of a request, in bytes. Node's own limit is that of a payment header alone, which says why it is refused. */
const HEADERS_LIMIT = 32_768;
const MAX_PARAM = 2_100;

/** Names of requests, for the log and for who reports an error: no other process and no earlier start uses them. */
function requestIds(): () => string {
  const start = crypto.randomUUID();
  let requests = 0;
  return () => `${start}-${(requests += 1)}`;
}

/** The gateway, ready to listen; the tests start the very same. */
export async function createGateway(config: Config, logger: Logger): Promise<NestFastifyApplication> {
  const methods = new AllowedMethods();
  const adapter = adapterFor(config, (error, request, reply) => {
    openToAnyOrigin(reply);
    errors.answer(error, request, reply);
  });
  methods.observe(adapter.getInstance());
  nameRequests(adapter.getInstance());
  adapter.getInstance().removeContentTypeParser('text/plain'); // JSON is all that is taken; anything else is 415
  const app = await NestFactory.create<NestFastifyApplication>(GatewayModule.with(config, logger), adapter, {
    logger: false,
    bodyParser: false,
  });
  const fastify = adapter.getInstance();
  openToOrigins(fastify);
  fastify.addHook('onRequest', counting(app.get(RateLimits)));
  const metrics = app.get(GatewayMetrics);
  metrics.observe(fastify);
  app.get(Drain).observe(fastify);
  answerPlainReads(fastify, app.get(HostReportsService));
  await answerOptions(fastify, methods);
  const board = await registerOperatorPages(fastify, config, metrics.registry);
  if (board) fastify.addHook('onClose', () => board.close());
  const errors = new ErrorFilter(logger, methods, metrics);
  app.useGlobalFilters(errors);
  return app;
}

type Answering = (error: Error, request: FastifyRequest, reply: FastifyReply) => void;

/** @param answerUnroutable for paths that the router cannot read: no hook comes before it */
function adapterFor({ callers }: Config, answerUnroutable: Answering): FastifyAdapter {
  return new FastifyAdapter({
    bodyLimit: BODY_LIMIT,
    http: { maxHeaderSize: HEADERS_LIMIT },
    routerOptions: { maxParamLength: MAX_PARAM },
    trustProxy: callers.trustedProxies.length > 0 ? [...callers.trustedProxies] : false,
    requestIdHeader: false,
    genReqId: requestIds(),
    // Storage closes after the last answer, so what still comes over a kept connection is answered like anything else.
    return503OnClosing: false,
    clientErrorHandler: answerClientError,
    frameworkErrors: answerUnroutable,
  });
}

function counting(limits: RateLimits): onRequestHookHandler {
  return (request, reply, done) => {
    const counted = limits.countRequest(request, reply);
    if (!counted) done();
    else
      counted.then(() => {
        done();
      }, done);
  };
}

/**
 * What a handler does is logged under the id of its request. Hooks and parsers before it log nothing, and reading a body
 * would lose the context; refusals of theirs name the id themselves (error.filter.ts).
 */
function nameRequests(fastify: Pick<FastifyInstance, 'addHook'>): void {
  fastify.addHook('preHandler', (request, _reply, done) => {
    withRequestId(request.id, done);
  });
}
