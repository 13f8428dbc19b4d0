import type { FastifyReply } from 'fastify';
import type { Sale } from '../paywall/release';
import { receiptHeaders } from './receipt-headers';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Releases a paid answer with its receipt. */
export function sendSale(reply: FastifyReply, sale: Sale): void {
  void reply
    .type(JSON_TYPE)
    .headers({
      'cache-control': 'private, no-store',
      ...(sale.settlement ? receiptHeaders({ success: true, ...sale.settlement }, sale.x402Version) : {}),
      ...(sale.replayed ? { 'idempotent-replayed': 'true' } : {}),
    })
    .send(sale.body);
}
