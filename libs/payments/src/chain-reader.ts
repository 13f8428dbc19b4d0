/** A log of a receipt, as the node gives it: nothing of it is believed before it is checked. */
export interface ReceiptLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly logIndex: number;
  /** Set by nodes for logs of a block that is no longer part of the chain. */
  readonly removed?: boolean;
}

export interface MinedTransaction {
  readonly status: 'success' | 'reverted';
  readonly blockNumber: bigint;
  readonly logs: readonly ReceiptLog[];
}

/** Heights of the chain's heads. A node that does not know a tag leaves it out. */
export interface Heads {
  readonly latest: bigint;
  readonly safe: bigint | null;
  readonly finalized: bigint | null;
}

/** What the chain says about a transaction hash. */
export type TransactionReading =
  /** In a block that is part of the chain now: its hash was compared with the chain's at that height. */
  | { readonly kind: 'mined'; readonly transaction: MinedTransaction; readonly heads: Heads }
  /** Known, not in a block yet. */
  | { readonly kind: 'pending' }
  /** Unknown to every node that answered, and enough did. */
  | { readonly kind: 'not_found' }
  /** No node could be read, it serves another chain, or it contradicts itself. */
  | { readonly kind: 'unavailable' };

export const UNAVAILABLE = { kind: 'unavailable' } as const satisfies TransactionReading;

/** Port: finds a transaction on one chain. Never throws. */
export interface ChainReader {
  read(txHash: string): Promise<TransactionReading>;
}
