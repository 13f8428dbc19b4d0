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
  /** Atomic units; more than zero. */
  readonly amount: bigint;
}

/** A transfer of the token to the payee. */
const ObservedTransfer = z.object({
  from: z.string(),
  to: z.string(),
  /** Atomic units. */
  value: z.string(),
  /** Tells two transfers of one transaction apart: the same transaction must not settle two invoices. */
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
  /** Atomic units of the claim. */
  amount: z.string(),
  blockNumber: z.int().nullable(),
  /** Transfers of the token to `payTo`, at most 50. */
  observed: z.array(ObservedTransfer),
  /** Settled by several transfers that add up to the amount. */
  aggregate: z.boolean(),
  /** A mismatch because more came than was claimed: exact means exact. */
  overpaid: z.boolean(),
  /** The token was created for the payee (a bridge paid out), so it has no sender. */
  mint: z.boolean(),
  /** Payer and payee are the same: nothing changed hands. */
  selfTransfer: z.boolean(),
  /** A hash seen nowhere may be seconds old; null when asking again changes nothing. */
  retryAfterSec: z.int().nullable(),
});
export type ReceiptCheck = DeepReadonly<z.infer<typeof ReceiptCheck>>;
type Finality = NonNullable<ReceiptCheck['finality']>;

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const WORD = /^0x[0-9a-f]{64}$/i;
const ZERO_ADDRESS = `0x${'0'.repeat(40)}`;

/** Logs read of one receipt; a transaction with more can hide nothing behind them but the answer `truncated`. */
export const MAX_LOGS = 2_000;
const MAX_OBSERVED = 50;

/** Blocks (two seconds each) after which a block counts as confirmed on a node that does not know the `safe` tag. */
const CONFIRMATIONS = 10n;

/** Blocks are two seconds apart, and a node may lag by some. */
const RETRY_AFTER_SEC = 5;

/** Judges what the chain says about a transaction against the expected transfer. */
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
 * By logs alone: facilitators batch, bundle and relay, so sender and recipient of the transaction tell nothing. One
 * transfer of exactly the amount settles, and so do several that add up to it.
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

/** Only the token's own contract speaks for it: any contract can emit the same event. */
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

/** `safe` is a block whose batch is on L1, `finalized` one whose L1 block is final (https://docs.base.org, finality). */
function finalityOf(block: bigint, { latest, safe, finalized }: Heads): Finality {
  if (finalized !== null && block <= finalized) return 'finalized';
  if (safe === null) return latest - block >= CONFIRMATIONS ? 'confirmed' : 'unconfirmed';
  return block <= safe ? 'confirmed' : 'unconfirmed';
}

function same(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
