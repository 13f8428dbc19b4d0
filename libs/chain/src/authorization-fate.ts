/** What became of an EIP-3009 authorization, as the chain tells it. */
export type AuthorizationFate =
  /** Not used up to the block of that time; it may still be, unless that is after its end. */
  | { readonly kind: 'unused'; readonly asOf: Date }
  /** The token moved from payer to recipient under this authorization. */
  | { readonly kind: 'settled'; readonly transaction: string }
  /** The payer cancelled it, or it was spent on something else: it will never pay us. */
  | { readonly kind: 'void' }
  /** The chain could not be read, or what it says does not tell. */
  | { readonly kind: 'unreadable' };

/** One authorization: where it lives and what it should have moved. */
export interface AuthorizationQuery {
  readonly asset: string;
  readonly payer: string;
  readonly nonce: string;
  readonly payTo: string;
  readonly amount: bigint;
  /** When it was first presented to us: the chain is searched from a little before. */
  readonly createdAt: Date;
}

/** Port: reads the truth about a payment. Never throws. */
export interface AuthorizationReader {
  fateOf(query: AuthorizationQuery): Promise<AuthorizationFate>;
}
