import { readPayment, withIdempotencyKey, type PayloadReading } from '@app/payments';
import type { FastifyRequest } from 'fastify';
import { memberOf } from '../http/arguments';
import { headerPayment } from '../checkout/header-payment';

/** Where the x402 transport for MCP puts a payment (https://github.com/x402-foundation/x402, transports-v2/mcp.md). */
export const PAYMENT_META = 'x402/payment';
/** And its receipt. */
export const RECEIPT_META = 'x402/payment-response';

/** The `_meta` of a call, whatever else the body is. */
export function metaOf(body: unknown): Readonly<Record<string, unknown>> {
  const meta = memberOf(memberOf(body, 'params'), '_meta');
  return typeof meta === 'object' && meta !== null ? (meta as Readonly<Record<string, unknown>>) : {};
}

/**
 * The payment of a call, from the HTTP header or from `params._meta["x402/payment"]`; undefined without one, `ambiguous`
 * when there are two and they are not the same.
 */
export function callPayment(
  headers: FastifyRequest['headers'],
  body: unknown,
): PayloadReading | 'ambiguous' | undefined {
  const fromHeader = headerPayment(headers);
  const stated = metaOf(body)[PAYMENT_META];
  if (stated === undefined) return fromHeader;
  const fromMeta = readPayment(stated);
  if (fromHeader === undefined) return withIdempotencyKey(fromMeta, headers['idempotency-key']);
  const same = fromHeader.ok && fromMeta.ok && fromHeader.payload.digest === fromMeta.payload.digest;
  return same ? fromHeader : 'ambiguous';
}
