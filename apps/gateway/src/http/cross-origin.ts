import cors from '@fastify/cors';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { AllowedMethods } from './allowed-methods';

/** Payment headers that a browser may read and send (https://github.com/x402-foundation/x402, HTTP transport). */
const EXPOSED = [
  'PAYMENT-REQUIRED',
  'PAYMENT-RESPONSE',
  'X-PAYMENT-RESPONSE',
  'Idempotent-Replayed',
  'Hostprobe-Statement',
  'Link',
  'Request-Id',
  'Location',
  'ETag',
  'Age',
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
  'Request-Id',
  'If-None-Match',
  'Prefer',
  // Official clients send this response header as a request header.
  'Access-Control-Expose-Headers',
  'MCP-Protocol-Version',
  'Mcp-Session-Id',
  // Headers of MCP version 2026-07-28 that repeat the method and name of the body for intermediaries.
  'Mcp-Method',
  'Mcp-Name',
];
const ORIGIN = '*';
const METHODS = ['GET', 'POST', 'PATCH', 'DELETE'];
/** How long a browser may cache the answer to a preflight, in seconds. No browser caches it longer. */
const PREFLIGHT_SEC = 7_200;

/** These are constant, so we set them ourselves; the plugin computes only the ones that depend on the request. */
const EXPOSED_HEADERS = EXPOSED.join(', ');

/** Headers of every answer, including errors. They allow pages of every origin to read it. */
export const COMMON_HEADERS = [
  'access-control-allow-origin',
  ORIGIN,
  'access-control-expose-headers',
  EXPOSED_HEADERS,
] as const;

/** Sets {@link COMMON_HEADERS}. */
export function openToOrigins(fastify: Pick<FastifyInstance, 'addHook'>): void {
  fastify.addHook('onRequest', (_request, reply, done) => {
    openToAnyOrigin(reply);
    done();
  });
}

/** The same for an answer that is sent without hooks. */
export function openToAnyOrigin(reply: FastifyReply): void {
  void reply.header('access-control-allow-origin', ORIGIN).header('access-control-expose-headers', EXPOSED_HEADERS);
}

/**
 * Answers OPTIONS, for browser preflights and other clients. The routes get their own scope with the hooks that exist
 * at that time, so call this after adding hooks.
 */
export async function answerOptions(fastify: FastifyInstance, methods: Pick<AllowedMethods, 'of'>): Promise<void> {
  await fastify.register(async (scope) => {
    scope.addHook('onRequest', ({ url }, reply, done) => {
      const allowed = methods.of(url);
      if (allowed.length > 0) void reply.header('allow', [...allowed, 'OPTIONS'].join(', '));
      done();
    });
    await scope.register(cors, {
      origin: ORIGIN,
      methods: METHODS,
      allowedHeaders: ALLOWED,
      maxAge: PREFLIGHT_SEC,
      strictPreflight: false,
    });
  });
}
