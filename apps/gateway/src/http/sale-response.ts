import { encodePaymentResponseHeader } from '@x402/core/http';
import { firstVersionNetwork, type Settlement } from '@app/payments';
import type { FastifyReply } from 'fastify';
import type { Sale } from '../paywall/release';

const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Releases a paid answer: the receipt in `PAYMENT-RESPONSE` and, for payers of version 1, in `X-PAYMENT-RESPONSE` with
 * the name their version has for the network. Only fields we know are encoded; a facilitator's own messages may carry
 * internals.
 */
export function sendSale(reply: FastifyReply, sale: Sale): void {
  void reply
    .type(JSON_TYPE)
    .headers({
      'cache-control': 'private, no-store',
      ...(sale.settlement ? receiptHeaders(sale.settlement, sale.x402Version) : {}),
      ...(sale.replayed ? { 'idempotent-replayed': 'true' } : {}),
    })
    .send(sale.body);
}

function receiptHeaders(settlement: Settlement, version: Sale['x402Version']): Readonly<Record<string, string>> {
  const receipt = { 'payment-response': encodeReceipt(settlement) };
  if (version === 2) return receipt;
  const { transaction, payer } = settlement;
  const first = encodeReceipt({ transaction, payer, network: firstVersionNetwork(settlement.network) });
  return { ...receipt, 'x-payment-response': first };
}

function encodeReceipt({ transaction, network, payer, extensions }: Settlement): string {
  return encodePaymentResponseHeader({
    success: true,
    transaction,
    network: network as `${string}:${string}`,
    payer,
    ...(extensions ? { extensions: { ...extensions } } : {}),
  });
}
