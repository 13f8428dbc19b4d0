/** The state of an EIP-3009 authorization on the chain. */
export type AuthorizationFate =
  /** Not used up to the block at that time. It may still be used, unless that time is after its expiry. */
  | { readonly kind: 'unused'; readonly asOf: Date }
  /** The token moved from payer to recipient under this authorization, in this block. */
  | { readonly kind: 'settled'; readonly transaction: string; readonly block: bigint }
  /** The payer canceled it or used it for something else: it will never pay the seller. */
  | { readonly kind: 'void' }
  /** The chain could not be read, or its data does not tell. */
  | { readonly kind: 'unreadable' };

/** An authorization: its contract, and the expected transfer. */
export interface AuthorizationQuery {
  readonly asset: string;
  readonly payer: string;
  readonly nonce: string;
  readonly payTo: string;
  readonly amount: bigint;
  /** When it was first presented. The search of the chain starts shortly before. */
  readonly createdAt: Date;
}

/** Port: reads the outcome of a payment from the chain. Never throws. */
export interface AuthorizationReader {
  /** @param stated a transaction that should have moved the money; it is read first, and only counts if it did */
  fateOf(query: AuthorizationQuery, stated?: string): Promise<AuthorizationFate>;
  /** The token balance of a payer in atomic units; undefined if no node answers. */
  balanceOf(holder: Pick<AuthorizationQuery, 'asset' | 'payer'>): Promise<bigint | undefined>;
  /** Whether a payer is a contract, or an account that delegates to one (EIP-7702); undefined if no node answers. */
  hasCode(holder: Pick<AuthorizationQuery, 'payer'>): Promise<boolean | undefined>;
  /** The newest block that can no longer be reorganized; undefined if no node answers. */
  finalBlock(): Promise<bigint | undefined>;
}
