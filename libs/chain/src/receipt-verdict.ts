import type { Heads, MinedTransaction, ReceiptLog, TransactionLook } from './chain-reader';

/** Spec 2.8. */
export type ReceiptVerdict =
  'settled' | 'mismatch' | 'reverted' | 'pending' | 'not_found' | 'truncated' | 'unavailable';
export type Finality = 'unconfirmed' | 'confirmed' | 'finalized';

/** The transfer somebody says was made. */
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
export interface ObservedTransfer {
  readonly from: string;
  readonly to: string;
  /** Atomic units. */
  readonly value: string;
  /** Tells two transfers of one transaction apart: the same transaction must not settle two invoices. */
  readonly logIndex: number;
}

/** Spec 2.8 and contract 4, `receipt_verify`. */
export interface ReceiptCheck {
  readonly verdict: ReceiptVerdict;
  readonly finality: Finality | null;
  readonly final: boolean;
  readonly txHash: string;
  readonly network: string;
  readonly asset: string;
  readonly payTo: string;
  /** Atomic units asked about. */
  readonly amount: string;
  readonly blockNumber: number | null;
  /** Transfers of the token to `payTo`, at most 50. */
  readonly observed: readonly ObservedTransfer[];
  /** Settled by several transfers that add up to the amount. */
  readonly aggregate?: true;
  /** A mismatch because more came than was asked: exact means exact. */
  readonly overpaid?: true;
  /** The token was created for the payee (a bridge paid out), nobody sent it. */
  readonly mint?: true;
  /** Payer and payee are the same: nothing changed hands. */
  readonly selfTransfer?: true;
  /** A hash seen nowhere may be seconds old. */
  readonly retryAfterSec?: number;
}

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const WORD = /^0x[0-9a-f]{64}$/i;
const NOBODY = `0x${'0'.repeat(40)}`;

/** Logs read of one receipt; a transaction with more can hide nothing behind them but the answer `truncated`. */
export const MAX_LOGS = 2_000;
const MAX_OBSERVED = 50;

/** Blocks (two seconds each) after which a block counts as confirmed on a node that does not know the `safe` tag. */
const CONFIRMATIONS = 10n;

/** Blocks are two seconds apart, and a node may lag by some. */
const RETRY_AFTER_SEC = 5;

/** Judges what the chain says about a transaction against the transfer it is said to have made. */
export function judgeReceipt(look: TransactionLook, claim: TransferClaim): ReceiptCheck {
  if (look.kind !== 'mined') {
    const hint = look.kind === 'unavailable' ? {} : { retryAfterSec: RETRY_AFTER_SEC };
    return { ...blank(claim), verdict: look.kind, ...hint };
  }
  const { transaction, heads } = look;
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
  };
}

type Judged = Pick<ReceiptCheck, 'verdict' | 'observed' | 'aggregate' | 'overpaid' | 'mint' | 'selfTransfer'>;

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
  return { verdict: 'mismatch', observed, ...(sum > amount ? { overpaid: true } : {}) };
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

function oddities(settling: readonly Transfer[], payTo: string): Pick<Judged, 'mint' | 'selfTransfer'> {
  return {
    ...(settling.some(({ from }) => from === NOBODY) ? { mint: true } : {}),
    ...(settling.some(({ from }) => same(from, payTo)) ? { selfTransfer: true } : {}),
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
