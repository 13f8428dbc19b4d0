import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { readProof, withIdempotencyKey, type ProofReading } from '@app/payments';
import type { FastifyRequest } from 'fastify';

type Headers = FastifyRequest['headers'];

/**
 * The payment in the headers of a request: `PAYMENT-SIGNATURE` (x402 version 2) or `X-PAYMENT` (version 1); undefined
 * without one. `Idempotency-Key` names the purchase when the payment does not; alone it buys and fetches nothing.
 */
export function headerProof(headers: Headers): ProofReading | undefined {
  const header = headers['payment-signature'] ?? headers['x-payment'];
  if (header === undefined || header === '') return undefined;
  const reading = readProof(Array.isArray(header) ? (header[0] ?? '') : header);
  return withIdempotencyKey(reading, headers['idempotency-key']);
}

/** @see {@link headerProof} */
export const Proof = createParamDecorator((_: unknown, context: ExecutionContext): ProofReading | undefined =>
  headerProof(context.switchToHttp().getRequest<FastifyRequest>().headers),
);
