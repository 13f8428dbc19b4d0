import type { FastifyRequest } from 'fastify';

/** The key of a request (`Authorization: Bearer`, RFC 6750); empty without one. */
export function bearerKey({ headers: { authorization = '' } }: Pick<FastifyRequest, 'headers'>): string {
  return /^bearer /i.test(authorization) ? authorization.slice('bearer '.length).trim() : '';
}
