import { encodePaymentResponseHeader } from '@x402/core/http';
import type { SettleResponse } from '@x402/core/types';
import { firstVersionNetwork, type Settlement } from '@app/payments';

/** How a payment ended, as its payer is told. */
export type Receipt =
  | ({ readonly success: true } & Settlement)
  | { readonly success: false; readonly errorReason: string; readonly network: string; readonly payer: string };

/**
 * `PAYMENT-RESPONSE` and, for payers of version 1, `X-PAYMENT-RESPONSE` with the name their version has for the network.
 */
export function receiptHeaders(receipt: Receipt, version: 1 | 2): Readonly<Record<string, string>> {
  const current = { 'payment-response': encodePaymentResponseHeader(receiptOf(receipt)) };
  if (version === 2) return current;
  const first = receiptOf({ ...receipt, network: firstVersionNetwork(receipt.network) });
  return { ...current, 'x-payment-response': encodePaymentResponseHeader(first) };
}

/** The receipt as x402 shapes it. Only known fields: a facilitator's own messages may carry internals. */
export function receiptOf(receipt: Receipt): SettleResponse {
  const known = { network: receipt.network as `${string}:${string}`, payer: receipt.payer };
  if (!receipt.success) return { ...known, success: false, transaction: '', errorReason: receipt.errorReason };
  const { transaction, extensions } = receipt;
  return { ...known, success: true, transaction, ...(extensions ? { extensions: { ...extensions } } : {}) };
}
