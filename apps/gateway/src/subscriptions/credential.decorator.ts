import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { credentialOf, type Credential } from './credential';

/** What a request shows of a subscriber; undefined for the public. */
export const SubscriberCredential = createParamDecorator(
  (_: unknown, context: ExecutionContext): Credential | undefined =>
    credentialOf(context.switchToHttp().getRequest<FastifyRequest>().headers),
);
