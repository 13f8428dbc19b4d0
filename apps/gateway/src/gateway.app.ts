import cors from '@fastify/cors';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Config } from '@app/config';
import { withRequestId, type Logger } from '@app/observability';
import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import { GatewayModule } from './gateway.module';
import { HostReportsService } from './hosts/host-reports.service';
import { answerPlainReads } from './hosts/plain-reads';
import { AllowedMethods } from './http/allowed-methods';
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

/** Payment headers a browser may read and send (https://github.com/x402-foundation/x402, HTTP transport). */
const EXPOSED = [
  'PAYMENT-REQUIRED',
  'PAYMENT-RESPONSE',
  'X-PAYMENT-RESPONSE',
  'Idempotent-Replayed',
  'ETag',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
];
const ALLOWED = [
  'Content-Type',
  'Authorization',
  'PAYMENT-SIGNATURE',
  'X-PAYMENT',
  'X-402-Version',
  'SIGN-IN-WITH-X',
  'Idempotency-Key',
  'If-None-Match',
  'Prefer',
  // Official clients send this response header as a request header.
  'Access-Control-Expose-Headers',
  'MCP-Protocol-Version',
  'Mcp-Session-Id',
];

/** Names of requests, for the log and for who reports an error: no other process and no earlier start uses them. */
function requestIds(): () => string {
  const start = crypto.randomUUID();
  let requests = 0;
  return () => `${start}-${(requests += 1)}`;
}

/** The gateway, ready to listen; the tests start the very same. */
export async function createGateway(config: Config, logger: Logger): Promise<NestFastifyApplication> {
  const methods = new AllowedMethods();
  const adapter = new FastifyAdapter({
    bodyLimit: BODY_LIMIT,
    http: { maxHeaderSize: HEADERS_LIMIT },
    routerOptions: { maxParamLength: MAX_PARAM },
    trustProxy: config.callers.trustedProxies.length > 0 ? [...config.callers.trustedProxies] : false,
    requestIdHeader: false,
    genReqId: requestIds(),
    // Storage closes after the last answer, so what still comes over a kept connection is answered like anything else.
    return503OnClosing: false,
  });
  methods.observe(adapter.getInstance());
  nameRequests(adapter.getInstance());
  adapter.getInstance().removeContentTypeParser('text/plain'); // JSON is all that is taken; anything else is 415
  const app = await NestFactory.create<NestFastifyApplication>(GatewayModule.with(config, logger), adapter, {
    logger: false,
    bodyParser: false,
  });
  await app.register(cors, {
    origin: '*',
    exposedHeaders: EXPOSED,
    allowedHeaders: ALLOWED,
    methods: ['GET', 'POST', 'DELETE'],
  });
  const fastify = adapter.getInstance();
  fastify.addHook('onRequest', counting(app.get(RateLimits)));
  const metrics = app.get(GatewayMetrics);
  metrics.observe(fastify);
  app.get(Drain).observe(fastify);
  answerPlainReads(fastify, app.get(HostReportsService));
  const board = await registerOperatorPages(fastify, config, metrics.registry);
  if (board) fastify.addHook('onClose', () => board.close());
  app.useGlobalFilters(new ErrorFilter(logger, methods, metrics));
  return app;
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

/** Everything done for a request is logged under its id; reading a body loses the context, so it is set again after. */
function nameRequests(fastify: Pick<FastifyInstance, 'addHook'>): void {
  const named: onRequestHookHandler = (request, _reply, done) => {
    withRequestId(request.id, done);
  };
  fastify.addHook('onRequest', named);
  fastify.addHook('preHandler', named);
}
