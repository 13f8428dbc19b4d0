import type { DeepReadonly } from '@app/platform';
import { z } from 'zod';
import type { Heads, MinedTransaction, ReceiptLog, TransactionReading } from './chain-reader';

/** The transfer that a caller claims. */
export interface TransferClaim {
  readonly txHash: string;
  /** CAIP-2. */
  readonly network: string;
  /** Contract address of the token. */
  readonly asset: string;
  readonly payTo: string;
  /** Atomic units, greater than zero. */
  readonly amount: bigint;
}

/** A transfer of the token to the recipient. */
const ObservedTransfer = z.object({
  from: z.string(),
  to: z.string(),
  /** Atomic units. */
  value: z.string(),
  /** Distinguishes transfers of one transaction, which must not settle two invoices. */
  logIndex: z.int(),
});

/** Behaviour 7.11, `receipt_verify`. */
export const ReceiptCheck = z.object({
  verdict: z.enum(['settled', 'mismatch', 'reverted', 'pending', 'not_found', 'truncated', 'unavailable']),
  finality: z.enum(['unconfirmed', 'confirmed', 'finalized']).nullable(),
  final: z.boolean(),
  txHash: z.string(),
  network: z.string(),
  asset: z.string(),
  payTo: z.string(),
  /** The claimed amount in atomic units. */
  amount: z.string(),
  blockNumber: z.int().nullable(),
  /** Transfers of the token to `payTo`, at most 50. */
  observed: z.array(ObservedTransfer),
  /** Settled by several transfers that add up to the amount. */
  aggregate: z.boolean(),
  /** A mismatch because more than the exact amount was transferred. */
  overpaid: z.boolean(),
  /** The token was minted for the recipient (for example by a bridge), so there is no sender. */
  mint: z.boolean(),
  /** Payer and recipient are the same. */
  selfTransfer: z.boolean(),
  /** An unknown hash may be seconds old. Null if asking again would not change the answer. */
  retryAfterSec: z.int().nullable(),
});
export type ReceiptCheck = DeepReadonly<z.infer<typeof ReceiptCheck>>;
type Finality = NonNullable<ReceiptCheck['finality']>;

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const WORD = /^0x[0-9a-f]{64}$/i;
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;

/** How many logs of a receipt are read. A receipt with more is answered with `truncated`. */
export const MAX_LOGS = 2_000;
const MAX_OBSERVED = 50;

/** Blocks (of two seconds) after which a block counts as confirmed if the node does not know the `safe` tag. */
const CONFIRMATIONS = 10n;

/** Blocks are two seconds apart, and a node may lag a little. */
const RETRY_AFTER_SEC = 5;

/** Compares a transaction on the chain with the expected transfer. */
export function judgeReceipt(read: TransactionReading, claim: TransferClaim): ReceiptCheck {
  if (read.kind !== 'mined') {
    const retryAfterSec = read.kind === 'unavailable' ? null : RETRY_AFTER_SEC;
    return { ...blank(claim), verdict: read.kind, retryAfterSec };
  }
  const { transaction, heads } = read;
  const finality = finalityOf(transaction.blockNumber, heads);
  const mined = {
    ...blank(claim),
    finality,
    final: finality === 'finalized',
    blockNumber: Number(transaction.blockNumber),
  };
  if (transaction.status === 'reverted') return { ...mined, verdict: 'reverted' };
  return { ...mined, ...judgeTransfers(transaction, claim) };
}

function blank({ txHash, network, asset, payTo, amount }: TransferClaim): ReceiptCheck {
  return {
    verdict: 'unavailable',
    finality: null,
    final: false,
    txHash,
    network,
    asset,
    payTo,
    amount: amount.toString(),
    blockNumber: null,
    observed: [],
    ...{ aggregate: false, overpaid: false, mint: false, selfTransfer: false },
    retryAfterSec: null,
  };
}

type Judged = Pick<ReceiptCheck, 'verdict' | 'observed'> & Partial<ReceiptCheck>;

/**
 * Uses logs only: facilitators batch, bundle and relay, so the sender and recipient of the transaction mean nothing.
 * One transfer of exactly the amount settles, and so do several that add up to it.
 */
function judgeTransfers({ logs }: MinedTransaction, { asset, payTo, amount }: TransferClaim): Judged {
  const received = logs
    .slice(0, MAX_LOGS)
    .flatMap((log) => transferOf(log, asset))
    .filter(({ to }) => same(to, payTo));
  const cut = logs.length > MAX_LOGS;
  const sum = received.reduce((total, { value }) => total + value, 0n);
  const exact = received.find(({ value }) => value === amount);
  const observed = received.slice(0, MAX_OBSERVED).map(({ value, ...rest }) => ({ ...rest, value: value.toString() }));
  if (exact) return { verdict: 'settled', observed, ...oddities([exact], payTo) };
  if (cut) return { verdict: 'truncated', observed };
  if (sum === amount) return { verdict: 'settled', observed, aggregate: true, ...oddities(received, payTo) };
  return { verdict: 'mismatch', observed, overpaid: sum > amount };
}

interface Transfer {
  readonly from: string;
  readonly to: string;
  readonly value: bigint;
  readonly logIndex: number;
}

/** Only logs of the token's own contract count, because any contract can emit the same event. */
function transferOf({ address, topics, data, logIndex, removed }: ReceiptLog, asset: string): readonly Transfer[] {
  const [event, from, to] = topics;
  if (removed === true || !same(address, asset) || topics.length !== 3) return [];
  if (event?.toLowerCase() !== TRANSFER || !WORD.test(data)) return [];
  return [{ from: addressIn(from), to: addressIn(to), value: BigInt(data), logIndex }];
}

function addressIn(topic: string | undefined): string {
  return `0x${(topic ?? '').slice(-40)}`;
}

function oddities(settling: readonly Transfer[], payTo: string): Pick<ReceiptCheck, 'mint' | 'selfTransfer'> {
  return {
    mint: settling.some(({ from }) => from === ZERO_ADDRESS),
    selfTransfer: settling.some(({ from }) => same(from, payTo)),
  };
}

/** A `safe` block is posted to L1; for a `finalized` one, the L1 block is final (https://docs.base.org, finality). */
function finalityOf(block: bigint, { latest, safe, finalized }: Heads): Finality {
  if (finalized !== null && block <= finalized) return 'finalized';
  if (safe === null) return latest - block >= CONFIRMATIONS ? 'confirmed' : 'unconfirmed';
  return block <= safe ? 'confirmed' : 'unconfirmed';
}

function same(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
