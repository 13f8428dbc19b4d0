import type { RouteDescription } from '@app/payments';
import { EVM_ADDRESS } from '../http/route-parameters';

/** How receipt verification is called, for directories (extension `bazaar`). */
export const RECEIPT_VERIFY: RouteDescription = {
  path: '/api/v1/receipts/:tx/verify',
  params: { tx: { type: 'string', pattern: '^0x[0-9a-fA-F]{64}$' } },
  query: {
    properties: {
      payTo: EVM_ADDRESS,
      network: { type: 'string', enum: ['eip155:8453', 'eip155:84532'] },
      asset: { type: 'string' },
      amount: { type: 'string', pattern: '^[1-9][0-9]{0,29}$' },
      amountUsd: { type: 'string' },
    },
    required: ['payTo'],
  },
  answer: { sku: 'receipt_verify', data: { verdict: 'settled', finality: 'confirmed', final: false } },
};
