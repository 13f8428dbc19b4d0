/** The EIP-712 domain of a token's EIP-3009 authorizations. */
export interface TokenDomain {
  readonly name: string;
  readonly version: string;
}

/** A token for payments on a network. */
export interface Token {
  readonly symbol: string;
  /** With its EIP-55 checksum on EVM networks. */
  readonly address: string;
  readonly decimals: number;
  /** Whether one unit is worth a US dollar. */
  readonly dollar: boolean;
  /** The contract's own domain; null if it has no EIP-3009, or if this table does not have it. */
  readonly domain: TokenDomain | null;
  /** The contract has no EIP-3009, so signed transfers need Permit2. */
  readonly permit2Only: boolean;
}

/** The data about a network; its CAIP-2 id is the key of its row. */
export interface NetworkRow {
  readonly name: string;
  readonly testnet?: true;
  /** The block explorer, see `explorerUrl`; missing where none has the paths that its namespace is known by. */
  readonly explorer?: `https://${string}`;
  /** The network's name in x402 version 1. */
  readonly v1Name?: string;
  readonly assets?: readonly Token[];
  /** Circle Gateway accepts payments in the USDC of this network, through its own wallet contract. */
  readonly gateway?: true;
}

/** The Circle Gateway contract for batched payments, on main and test networks. */
export const GATEWAY_WALLETS = {
  main: '0x77777777Dcc4d5A8B6E418Fd04D8997ef11000eE',
  test: '0x0077777d7EBA4688BDeF3E311b846F25870A19B9',
} as const;

/** An EVM network whose chain we read to verify receipts. Its USDC must have a known domain. */
export interface ReadableRow extends NetworkRow {
  /** The variable that names RPC endpoints: `RPC_URL_` and the chain id. */
  readonly rpcVariable: `RPC_URL_${number}`;
  /** This service can be paid on it, so X402_NETWORK may name it. */
  readonly sellable?: true;
}

/** The two EIP-712 domains of USDC. */
export const USD_COIN = ['USD Coin', '2'] as const;
export const USDC = ['USDC', '2'] as const;
/** The domain of the USDC minted by the SKALE bridge. */
export const SKALE_BRIDGE = ['Bridged USDC (SKALE Bridge)', '2'] as const;

/** Name and version of the EIP-712 domain; `permit2` for contracts without EIP-3009. */
type Domain = readonly [name: string, version: string] | 'permit2';

export function token(symbol: string, address: string, decimals: number, domain?: Domain): Token {
  const permit2Only = domain === 'permit2';
  const named = domain === undefined || permit2Only ? null : { name: domain[0], version: domain[1] };
  return { symbol, address, decimals, dollar: true, domain: named, permit2Only };
}

/** A token with a variable price in dollars. */
export function coin(symbol: string, address: string, decimals: number): Token {
  return { ...token(symbol, address, decimals), dollar: false };
}

export function usdc(address: string, domain?: Domain): Token {
  return token('USDC', address, 6, domain);
}
