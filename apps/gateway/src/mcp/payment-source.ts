import { readPayment, withIdempotencyKey, type PayloadReading } from '@app/payments';
import type { FastifyRequest } from 'fastify';
import { memberOf } from '../http/arguments';
import { headerPayment } from '../checkout/header-payment';

/**
 * The `_meta` key of a payment in the x402 transport for MCP (https://github.com/x402-foundation/x402,
 * transports-v2/mcp.md).
 */
export const PAYMENT_META = 'x402/payment';
/** The `_meta` key of the receipt. */
export const RECEIPT_META = 'x402/payment-response';

/** The `_meta` of a call; empty if the body has none. */
export function metaOf(body: unknown): Readonly<Record<string, unknown>> {
  const meta = memberOf(memberOf(body, 'params'), '_meta');
  return typeof meta === 'object' && meta !== null ? (meta as Readonly<Record<string, unknown>>) : {};
}

/**
 * The payment of a call, from the HTTP header or from `params._meta["x402/payment"]`. Undefined if there is none,
 * `ambiguous` if there are two different ones.
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
