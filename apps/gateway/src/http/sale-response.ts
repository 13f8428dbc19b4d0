import { encodePaymentResponseHeader } from '@x402/core/http';
import type { SettleResponse } from '@x402/core/types';
import { firstVersionNetwork, type Settlement } from '@app/payments';
import type { FastifyReply } from 'fastify';
import type { Sale } from '../paywall/release';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Releases a paid answer. */
export function sendSale(reply: FastifyReply, sale: Sale): void {
  void reply.type(JSON_TYPE).headers(saleHeaders(sale)).send(sale.body);
}

/**
 * The headers of a paid answer: the receipt in `PAYMENT-RESPONSE` and, for payers of version 1, in `X-PAYMENT-RESPONSE` with
 * the name their version has for the network. Only fields we know are encoded; a facilitator's own messages may carry
 * internals.
 */
export function saleHeaders(sale: Sale): Readonly<Record<string, string>> {
  return {
    'cache-control': 'private, no-store',
    ...(sale.settlement ? receiptHeaders(sale.settlement, sale.x402Version) : {}),
    ...(sale.replayed ? { 'idempotent-replayed': 'true' } : {}),
  };
}

function receiptHeaders(settlement: Settlement, version: Sale['x402Version']): Readonly<Record<string, string>> {
  const receipt = { 'payment-response': encodeReceipt(settlement) };
  if (version === 2) return receipt;
  const { transaction, payer } = settlement;
  const first = encodeReceipt({ transaction, payer, network: firstVersionNetwork(settlement.network) });
  return { ...receipt, 'x-payment-response': first };
}

function encodeReceipt(settlement: Settlement): string {
  return encodePaymentResponseHeader(receiptOf(settlement));
}

/** The receipt as x402 shapes it. */
export function receiptOf({ transaction, network, payer, extensions }: Settlement): SettleResponse {
  return {
    success: true,
    transaction,
    network: network as `${string}:${string}`,
    payer,
    ...(extensions ? { extensions: { ...extensions } } : {}),
  };
}
