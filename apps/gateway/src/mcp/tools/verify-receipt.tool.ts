import { RECEIPT_NETWORKS } from '../../receipts/dto/verify-receipt.dto';
import { count, flag, list, nullable, object, oneOf, text, type JsonSchema } from '../json-schema';
import { envelope } from '../schemas';
import type { PaidTool } from '../tool';

const HASH: JsonSchema = { type: 'string', pattern: '^0x[0-9a-fA-F]{64}$', description: 'Transaction hash.' };

export const verifyReceipt: PaidTool = {
  name: 'verify_receipt',
  title: 'Verify a payment receipt',
  about: {
    what: 'Whether a USDC transfer of exactly this amount to this payee settled in a transaction, and how final it is. Give the hash of the transaction, payTo and exactly one of amount (atomic units) and amountUsd.',
    freshness: 'Freshness: read from the chain now.',
    failures:
      'Failures, none of them charged: invalid_tx, invalid_pay_to, invalid_amount, invalid_amount_usd, invalid_network, invalid_asset, rate_limited. The verdict unavailable (no node answered) is given away.',
    instead: 'Use payto_check before paying.',
  },
  input: object(
    {
      payTo: { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$', description: 'Payee the transfer should have reached.' },
    },
    {
      txHash: { ...HASH, description: 'Transaction hash; the same as tx, which is its name in the REST route.' },
      tx: HASH,
      network: { ...oneOf(RECEIPT_NETWORKS, 'Chain, as CAIP-2 id.'), default: RECEIPT_NETWORKS[0] },
      asset: { type: 'string', default: 'USDC', description: 'USDC, or its address on the network.' },
      amount: { type: 'string', pattern: '^[1-9]\\d{0,29}$', description: 'Atomic units.' },
      amountUsd: { type: 'string', pattern: '^\\d{1,12}(\\.\\d{1,6})?$', description: 'Decimal dollars.' },
    },
  ),
  answer: envelope(
    'receipt_verify',
    object(
      {
        verdict: oneOf(['settled', 'mismatch', 'reverted', 'pending', 'not_found', 'truncated', 'unavailable']),
        finality: nullable(oneOf(['unconfirmed', 'confirmed', 'finalized'])),
        final: flag,
        txHash: text,
        network: oneOf(RECEIPT_NETWORKS),
        asset: text,
        payTo: text,
        amount: text,
        blockNumber: nullable(count),
        observed: list(object({ from: text, to: text, value: text, logIndex: count })),
      },
      { aggregate: flag, overpaid: flag, mint: flag, selfTransfer: flag, retryAfterSec: count, foundOn: text },
    ),
  ),
  openWorld: true,
  readOnly: true,
  sku: 'receipt_verify',
  limited: true,
  routeArguments: ({ txHash, ...route }) => ({ tx: txHash, ...route }),
};
