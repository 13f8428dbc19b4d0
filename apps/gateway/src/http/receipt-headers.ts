import { encodePaymentResponseHeader } from '@x402/core/http';
import { firstVersionNetwork, type Settlement } from '@app/payments';

/** How a payment ended, as its payer is told in a header. */
export type Receipt =
  | ({ readonly success: true } & Settlement)
  | { readonly success: false; readonly errorReason: string; readonly network: string; readonly payer: string };

/**
 * `PAYMENT-RESPONSE` and, for payers of version 1, `X-PAYMENT-RESPONSE` with the name their version has for the network.
 * Only fields we know are encoded; a facilitator's own messages may carry internals.
 */
export function receiptHeaders(receipt: Receipt, version: 1 | 2): Readonly<Record<string, string>> {
  const current = { 'payment-response': encode(receipt, receipt.network) };
  if (version === 2) return current;
  return { ...current, 'x-payment-response': encode(receipt, firstVersionNetwork(receipt.network)) };
}

function encode(receipt: Receipt, network: string): string {
  const known = { network: network as `${string}:${string}`, payer: receipt.payer };
  if (!receipt.success) {
    return encodePaymentResponseHeader({ ...known, success: false, transaction: '', errorReason: receipt.errorReason });
  }
  const { transaction, extensions } = receipt;
  return encodePaymentResponseHeader({
    ...known,
    success: true,
    transaction,
    ...(extensions ? { extensions: { ...extensions } } : {}),
  });
}
