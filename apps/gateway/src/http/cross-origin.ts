import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';

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
const ORIGIN = '*';
const METHODS = ['GET', 'POST', 'DELETE'];

/** The same on every answer, so the plugin, which works them out anew, is only asked for what depends on the request. */
const EXPOSED_HEADERS = EXPOSED.join(', ');

/** Tells the pages of every origin that they may read any answer, an error's too. */
export function openToOrigins(fastify: Pick<FastifyInstance, 'addHook'>): void {
  fastify.addHook('onRequest', (_request, reply, done) => {
    void reply.header('access-control-allow-origin', ORIGIN).header('access-control-expose-headers', EXPOSED_HEADERS);
    done();
  });
}

/** Answers preflights. They have a scope of their own, which takes the hooks that are there: call after those are added. */
export async function answerPreflights(fastify: FastifyInstance): Promise<void> {
  await fastify.register(async (preflights) => {
    await preflights.register(cors, { origin: ORIGIN, methods: METHODS, allowedHeaders: ALLOWED });
  });
}
