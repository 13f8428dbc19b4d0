import { readPaymentHeader, withIdempotencyKey, type PayloadReading } from '@app/payments';
import type { FastifyRequest } from 'fastify';

type Headers = FastifyRequest['headers'];

/**
 * Reads the payment from `PAYMENT-SIGNATURE` (x402 version 2) or `X-PAYMENT` (version 1); undefined if neither is
 * present. `Idempotency-Key` is used as the payment identifier if the payment has none; without a payment it is
 * ignored.
 */
export function headerPayment(headers: Headers): PayloadReading | undefined {
  const second = first(headers['payment-signature']);
  const header = second === '' ? first(headers['x-payment']) : second;
  if (header === '') return undefined;
  return withIdempotencyKey(readPaymentHeader(header, second === '' ? 1 : 2), headers['idempotency-key']);
}

function first(header: string | readonly string[] | undefined): string {
  return (typeof header === 'string' ? header : header?.[0]) ?? '';
}
