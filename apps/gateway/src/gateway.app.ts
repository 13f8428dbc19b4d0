import type { IncomingMessage } from 'node:http';
import type { LoggerService } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Config } from '@app/config';
import { checkSigningKeys } from '@app/signing';
import type { Logger } from '@app/platform';
import { refuseOlderDatabase } from '@app/storage';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { compose } from './compose';
import { GatewayModule } from './gateway.module';
import { cachedReports } from './reports/plain-reads';
import { cachedStatements } from './statements/send-statement';
import { installFastPath, countRequests } from './http/fast-path';
import { answerClientError } from './http/client-error';
import { callerAddress, CONNECTION_TIMES, ConnectionLimits, sharedAddresses } from './http/connection-limits';
import { answerOptions, openToAnyOrigin, openToOrigins } from './http/cross-origin';
import { readForms } from './http/form-body';
import { readJsonBodies } from './http/json-body';
import { nameAnswer, nameAnswers, requestIdOf } from './http/request-ids';
import { PRODUCTS } from './products/registry';
import { traceRequests } from './platform/trace-requests';
import { registerOperatorPages } from './platform/operator/operator-pages';

/** Behaviour 2.3. */
const BODY_LIMIT = 65_536;
/** All headers of a request, in bytes. Node's own limit is that of a payment header alone, which has an error code of its own. */
const HEADERS_LIMIT = 32_768;
const MAX_PARAM = 2_100;

/** The gateway, ready to listen; the tests start the very same. */
export async function createGateway(config: Config, logger: Logger): Promise<NestFastifyApplication> {
  checkSigningKeys(config.identity.signingKey, config.reportSigningKey);
  await refuseOlderDatabase(config.database.url);
  const services = await compose(config, logger);
  const { errors, methods, metrics, drain, reports, rateLimits, statements, challengeCache } = services;
  const adapter = adapterFor(config, (error, request, reply) => {
    openToAnyOrigin(reply);
    nameAnswer(reply);
    errors.answer(error, request, reply);
  });
  adapter.getInstance().removeContentTypeParser('text/plain'); // JSON is all that is taken; anything else is 415
  readJsonBodies(adapter.getInstance());
  readForms(adapter.getInstance());
  const app = await NestFactory.create<NestFastifyApplication>(GatewayModule.of(services), adapter, {
    logger: nestLogger(logger),
    abortOnError: false, // main.ts says why the process ends
    bodyParser: false,
  });
  const fastify = adapter.getInstance();
  const { connections, trustedProxies } = config.callers;
  const limits = new ConnectionLimits(connections, sharedAddresses(trustedProxies));
  limits.observe(fastify.server);
  limits.endUnfinished(fastify);
  errors.observe(fastify);
  methods.observe(fastify, new Set(PRODUCTS.filter(({ method }) => method === 'GET').map(({ path }) => path)));
  openToOrigins(fastify);
  nameAnswers(fastify);
  countRequests(fastify, rateLimits);
  metrics.observe(fastify);
  if (config.tracing) traceRequests(fastify);
  drain.observe(fastify);
  installFastPath(fastify.server, {
    caches: [cachedReports(reports), cachedStatements(statements), challengeCache],
    limits: rateLimits,
    metrics,
    drain,
    callerOf: callerAddress(trustedProxies),
  });
  await answerOptions(fastify, methods);
  const board = await registerOperatorPages(fastify, config, services);
  if (board) fastify.addHook('onClose', () => board.close());
  app.useGlobalFilters(errors);
  return app;
}

/** What Nest has to say itself: a hook that failed while the gateway starts or stops, not its account of routes. */
function nestLogger(logger: Logger): LoggerService {
  return {
    log: () => undefined,
    warn: (message: unknown) => {
      logger.warn(String(message));
    },
    error: (err: unknown) => {
      logger.error({ err }, 'the framework reports an error');
    },
  };
}

type Answering = (error: Error, request: FastifyRequest, reply: FastifyReply) => void;

/** @param answerUnroutable for paths that the router cannot read: no hook comes before it */
function adapterFor({ callers }: Config, answerUnroutable: Answering): FastifyAdapter {
  return new FastifyAdapter({
    bodyLimit: BODY_LIMIT,
    http: {
      maxHeaderSize: HEADERS_LIMIT,
      headersTimeout: CONNECTION_TIMES.headers,
      connectionsCheckingInterval: CONNECTION_TIMES.check,
    },
    requestTimeout: CONNECTION_TIMES.request,
    keepAliveTimeout: CONNECTION_TIMES.keptAlive,
    connectionTimeout: CONNECTION_TIMES.silence,
    routerOptions: { maxParamLength: MAX_PARAM },
    trustProxy: callers.trustedProxies.length > 0 ? [...callers.trustedProxies] : false,
    requestIdHeader: false,
    genReqId: ({ headers }: Pick<IncomingMessage, 'headers'>) => requestIdOf(headers),
    // Storage closes after the last answer, so what still comes over a kept connection is answered like anything else.
    return503OnClosing: false,
    clientErrorHandler: answerClientError,
    frameworkErrors: answerUnroutable,
  });
}
