/** What became of an EIP-3009 authorization, as the chain tells it. */
export type AuthorizationFate =
  /** Not used up to the block of that time; it may still be, unless that is after its end. */
  | { readonly kind: 'unused'; readonly asOf: Date }
  /** The token moved from payer to recipient under this authorization, in that block. */
  | { readonly kind: 'settled'; readonly transaction: string; readonly block: bigint }
  /** The payer cancelled it, or it was spent on something else: it will never pay the seller. */
  | { readonly kind: 'void' }
  /** The chain could not be read, or what it says does not tell. */
  | { readonly kind: 'unreadable' };

/** One authorization: its contract, and the transfer it should have made. */
export interface AuthorizationQuery {
  readonly asset: string;
  readonly payer: string;
  readonly nonce: string;
  readonly payTo: string;
  readonly amount: bigint;
  /** When it was first presented: the chain is searched from a little before. */
  readonly createdAt: Date;
}

/** Port: reads the truth about a payment. Never throws. */
export interface AuthorizationReader {
  /** @param stated transaction that should have moved the money; it is read first, and believed only if it did */
  fateOf(query: AuthorizationQuery, stated?: string): Promise<AuthorizationFate>;
  /** What a payer has of the token, in atomic units; undefined when no node says. */
  balanceOf(holder: Pick<AuthorizationQuery, 'asset' | 'payer'>): Promise<bigint | undefined>;
  /** Whether a payer is a contract, or an account that has given its word to one (EIP-7702); undefined when no node says. */
  hasCode(holder: Pick<AuthorizationQuery, 'payer'>): Promise<boolean | undefined>;
  /** Newest block that no reorganization can take back; undefined when no node says. */
  finalBlock(): Promise<bigint | undefined>;
}
