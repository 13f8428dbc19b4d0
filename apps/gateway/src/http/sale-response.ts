import type { FastifyReply } from 'fastify';
import type { Sale } from '../paywall/release';
import { receiptHeaders } from './receipt-headers';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Releases a paid answer. */
export function sendSale(reply: FastifyReply, sale: Sale): void {
  void reply.type(JSON_TYPE).headers(saleHeaders(sale)).send(sale.body);
}

/** The headers of a paid answer: its receipt, and that nobody may keep it. */
export function saleHeaders(sale: Sale): Readonly<Record<string, string>> {
  return {
    'cache-control': 'private, no-store',
    ...(sale.settlement ? receiptHeaders({ success: true, ...sale.settlement }, sale.x402Version) : {}),
    ...(sale.replayed ? { 'idempotent-replayed': 'true' } : {}),
  };
}
