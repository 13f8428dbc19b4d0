import { encodePaymentResponseHeader } from '@x402/core/http';
import type { Settlement } from '@app/payments';
import type { FastifyReply } from 'fastify';
import type { Sale } from '../paywall/paywall.service';

const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Releases a paid answer: the receipt in `PAYMENT-RESPONSE` and, for version 1 payers, in `X-PAYMENT-RESPONSE`. Only
 * fields we know are encoded; a facilitator's own messages may carry internals.
 */
export function sendSale(reply: FastifyReply, sale: Sale): void {
  const receipt = sale.settlement && receiptOf(sale.settlement);
  void reply
    .type(JSON_TYPE)
    .headers({
      'cache-control': 'private, no-store',
      ...(receipt === undefined ? {} : { 'payment-response': receipt, 'x-payment-response': receipt }),
      ...(sale.replayed ? { 'idempotent-replayed': 'true' } : {}),
    })
    .send(sale.body);
}

function receiptOf({ transaction, network, payer }: Settlement): string {
  return encodePaymentResponseHeader({ success: true, transaction, network: network as `${string}:${string}`, payer });
}
