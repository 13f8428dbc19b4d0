/** A log of a receipt, as the node returns it. Everything in it must be checked before use. */
export interface ReceiptLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly logIndex: number;
  /** Nodes set this for logs of a block that is no longer part of the chain. */
  readonly removed?: boolean;
}

export interface MinedTransaction {
  readonly status: 'success' | 'reverted';
  readonly blockNumber: bigint;
  readonly logs: readonly ReceiptLog[];
}

/** The block numbers of the chain's heads. A node omits tags that it does not know. */
export interface Heads {
  readonly latest: bigint;
  readonly safe: bigint | null;
  readonly finalized: bigint | null;
}

/** The state of a transaction hash on the chain. */
export type TransactionReading =
  /** In a block of the current chain: its hash matches the chain's at that height. */
  | { readonly kind: 'mined'; readonly transaction: MinedTransaction; readonly heads: Heads }
  /** Known, but not in a block yet. */
  | { readonly kind: 'pending' }
  /** Unknown to every node that answered, and enough nodes answered. */
  | { readonly kind: 'not_found' }
  /** No node could be read, or it serves another chain or contradicts itself. */
  | { readonly kind: 'unavailable' };

export const UNAVAILABLE = { kind: 'unavailable' } as const satisfies TransactionReading;

/** Port: finds a transaction on one chain. Never throws. */
export interface ChainReader {
  read(txHash: string): Promise<TransactionReading>;
}
