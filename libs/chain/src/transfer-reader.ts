import type { IncomingTransfer } from '@app/payments';

/** Blocks, both ends included. */
export interface BlockRange {
  readonly fromBlock: bigint;
  readonly toBlock: bigint;
}

/** Port: what the chain says of money that came in. Its methods throw when the node gives no answer. */
export interface TransferReader {
  /** Number and time (seconds) of the newest block. */
  head(): Promise<{ readonly number: bigint; readonly timestamp: bigint }>;
  /** A block not younger than the time. */
  blockBefore(time: Date): Promise<bigint>;
  timeOf(block: bigint): Promise<Date>;
  /** Transfers of the token to the account. */
  transfersTo(account: string, asset: string, range: BlockRange): Promise<readonly IncomingTransfer[]>;
  /** The block a transaction is in; undefined for one the chain does not have. */
  blockOf(transaction: string): Promise<bigint | undefined>;
}
