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

/** The maximum body size (behaviour 2.3). */
const BODY_LIMIT = 65_536;
/**
 * The maximum size of all request headers, in bytes. It is larger than Node's default, because a payment header may
 * reach that alone, and a payment header that is too large has its own error code.
 */
const HEADERS_LIMIT = 32_768;
const MAX_PARAM = 2_100;

/** Builds the gateway, ready to listen. The tests start the same application. */
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
  adapter.getInstance().removeContentTypeParser('text/plain'); // only JSON is accepted; everything else gets 415
  readJsonBodies(adapter.getInstance());
  readForms(adapter.getInstance());
  const app = await NestFactory.create<NestFastifyApplication>(GatewayModule.of(services), adapter, {
    logger: nestLogger(logger),
    abortOnError: false, // main.ts logs why the process ends
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

/** Logs only what Nest alone knows, such as a hook that failed at start or stop. Its list of routes is dropped. */
function nestLogger(logger: Logger): LoggerService {
  return {
    log: () => undefined,
    warn: (message: unknown) => {
      logger.warn(String(message));
    },
    error: (err: unknown) => {
      logger.error({ err }, 'Nest reported an error');
    },
  };
}

type Answering = (error: Error, request: FastifyRequest, reply: FastifyReply) => void;

/** @param answerUnroutable answers paths that the router cannot read; no hook runs for them */
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
    // Storage closes after the last answer, so late requests on a kept-alive connection are answered normally.
    return503OnClosing: false,
    clientErrorHandler: answerClientError,
    frameworkErrors: answerUnroutable,
  });
}
