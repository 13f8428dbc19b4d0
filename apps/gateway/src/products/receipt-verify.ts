import { judgeReceipt, ReceiptCheck, usdToAtomic } from '@app/payments';
import { CHAINS, DEFAULT_NETWORK, READABLE, type ReadableId } from '@app/networks';
import { IsString, Matches } from 'class-validator';
import { z } from 'zod';
import { Described, EvmAddress, ExactlyOneOf, Optional, ReadNetwork } from '../http/inputs';
import { RequestError } from '../http/request-error';
import { defineProduct, Uncharged } from './define-product';
import { usd } from './price';
import type { ProductDeps } from './product-deps';

class ReceiptVerifyInput {
  @Described('The transaction hash.')
  @Matches(/^0x[0-9a-fA-F]{64}$/, { message: 'tx must be a transaction hash: 0x and 64 hex digits' })
  tx!: string;

  @EvmAddress('The expected recipient.')
  payTo!: string;

  @Described('The network, as a CAIP-2 id.')
  @Optional()
  @ReadNetwork(READABLE)
  network: ReadableId = DEFAULT_NETWORK;

  @Described('USDC, or its contract address on the network.')
  @Optional()
  @IsString({ message: 'asset must be USDC or its contract address on the network' })
  asset = 'USDC';

  @Described('The amount in atomic units.')
  @Matches(/^[1-9]\d{0,29}$/, { message: 'amount must be 1 to 30 digits without leading zeros, greater than 0' })
  @ExactlyOneOf('amount', 'amountUsd')
  amount?: string;

  @Described('The amount in dollars, as a decimal number.')
  @Optional()
  @Matches(/^\d{1,12}(?:\.\d{1,6})?$/, {
    message: 'amountUsd must be a decimal number with at most 12 digits before and 6 after the point',
  })
  amountUsd?: string;
}

interface ReceiptArgs {
  /** Lower case. */
  readonly txHash: string;
  readonly network: ReadableId;
  readonly asset: string;
  readonly payTo: string;
  /** Atomic units. */
  readonly amount: bigint;
}

const TX = '0x4f6a1f0e7b0c3d2a59687f1e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c4b5a';

/** Endpoint 10: whether a USDC transfer settled. It only reads the chain and needs no worker. */
export const receiptVerify = defineProduct({
  sku: 'receipt_verify',
  name: 'verify_receipt',
  route: 'GET /api/v1/receipts/:tx/verify',
  price: usd('0.001'),
  description: 'Whether a USDC transfer settled, and how final it is',
  check: true,
  title: 'Verify a payment receipt',
  what: 'Checks whether a USDC transfer of exactly this amount to this recipient settled in a transaction, and how final it is. Send `tx`, `payTo`, and exactly one of `amount` (atomic units) and `amountUsd`.',
  freshness: 'live, from the blockchain.',
  errors: [
    'invalid_tx',
    'invalid_pay_to',
    'invalid_amount',
    'invalid_amount_usd',
    'invalid_network',
    'unsupported_network',
    'invalid_asset',
    'rate_limited',
  ],
  failures: 'A verdict of `unavailable` (we could not reach the network) is not charged.',
  tool: {
    instead: 'Use payto_check before paying.',
    readOnly: true,
    aliases: {
      txHash: { of: 'tx', description: 'Deprecated name of `tx`.' },
    },
  },
  input: ReceiptVerifyInput,
  component: 'ReceiptCheck',
  /** The verdict, and the other network that has the transaction, if any. */
  answer: ReceiptCheck.extend({ network: z.enum(READABLE), foundOn: z.string().nullable() }),
  example: {
    call: `/api/v1/receipts/${TX}/verify?payTo=0x52908400098527886E0F7030069857D2E4169EE7&network=eip155:8453&amount=20000`,
    answer: { sku: 'receipt_verify', data: { verdict: 'settled', finality: 'confirmed', final: false } },
  },
  read: (input): ReceiptArgs => ({
    txHash: input.tx.toLowerCase(),
    network: input.network,
    asset: assetOf(input),
    payTo: input.payTo,
    amount: amountOf(input),
  }),
  /** The amount in atomic units, even if it was sent in dollars. */
  resource: ({ txHash, network, payTo, amount }) => {
    const query = new URLSearchParams({ payTo, network, amount: amount.toString() });
    return `/api/v1/receipts/${txHash}/verify?${query.toString().replace('%3A', ':')}`;
  },
  work: async (args, { chains }) => {
    const judged = judgeReceipt(await chains[args.network].read(args.txHash), args);
    const foundOn = judged.verdict === 'not_found' ? await otherNetwork(args, chains) : null;
    const check = { ...judged, network: args.network, foundOn };
    // An unreachable blockchain counts as our failure, so the answer is not charged.
    return check.verdict === 'unavailable' ? new Uncharged(check) : check;
  },
});

/** Callers confuse networks, so the answer names the one that has the transaction. */
async function otherNetwork(
  { network, txHash }: ReceiptArgs,
  chains: ProductDeps['chains'],
): Promise<ReadableId | null> {
  const others = READABLE.filter((id) => id !== network);
  const seen = await Promise.all(others.map((id) => chains[id].read(txHash)));
  return others.find((_, index) => seen[index]?.kind === 'mined') ?? null;
}

function assetOf({ asset, network }: ReceiptVerifyInput): string {
  const { address } = CHAINS[network].usdc;
  const named = asset.trim().toLowerCase();
  if (named === 'usdc' || named === address.toLowerCase()) return address;
  throw new RequestError('invalid_asset', `asset must be USDC or its contract address on ${network}, ${address}`);
}

function amountOf({ amount, amountUsd }: ReceiptVerifyInput): bigint {
  const atomic = amount === undefined ? usdToAtomic(amountUsd ?? '') : BigInt(amount);
  if (atomic === undefined || atomic === 0n)
    throw new RequestError('invalid_amount_usd', 'amountUsd must be greater than 0');
  return atomic;
}
