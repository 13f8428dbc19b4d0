import type { FastifyRequest } from 'fastify';

/** The bearer key of a request (RFC 6750); empty if it has none. */
export function bearerKey({ headers: { authorization = '' } }: Pick<FastifyRequest, 'headers'>): string {
  return /^bearer /i.test(authorization) ? authorization.slice('bearer '.length).trim() : '';
}
