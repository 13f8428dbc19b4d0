/** The EIP-712 domain an EIP-3009 authorization of a token is signed under. */
export interface TokenDomain {
  readonly name: string;
  readonly version: string;
}

/** A token that payments on a network are asked for in. */
export interface Token {
  readonly symbol: string;
  /** On EVM networks with its EIP-55 checksum. */
  readonly address: string;
  readonly decimals: number;
  /** Whether a unit of it is a US dollar. */
  readonly dollar: boolean;
  /** The contract's own domain; null when it has no EIP-3009, or when this table has not got it. */
  readonly domain: TokenDomain | null;
  /** The contract has no EIP-3009: only Permit2 moves it by signature. */
  readonly permit2Only: boolean;
}

/** What is known of a network; its CAIP-2 id is the key of its row. */
export interface NetworkRow {
  readonly name: string;
  readonly testnet?: true;
  /** The network's name in x402 version 1. */
  readonly v1Name?: string;
  readonly assets?: readonly Token[];
  /** Circle Gateway takes payments in the USDC of this network, under its own wallet contract. */
  readonly gateway?: true;
}

/** The contract of Circle Gateway that batched payments are signed under, by whether the network is a test network. */
export const GATEWAY_WALLETS = {
  main: '0x77777777Dcc4d5A8B6E418Fd04D8997ef11000eE',
  test: '0x0077777d7EBA4688BDeF3E311b846F25870A19B9',
} as const;

/** An EVM network whose chain is read: receipts on it are verified. It needs USDC whose domain is known. */
export interface ReadableRow extends NetworkRow {
  /** The variable that names RPC endpoints: `RPC_URL_` and the chain id. */
  readonly rpcVariable: `RPC_URL_${number}`;
  /** Where people probe its transactions, without a slash at the end. */
  readonly explorer: `https://${string}`;
  /** We can be paid on it: X402_NETWORK may name it. */
  readonly sellable?: true;
}

/** The two domains that USDC is signed under. */
export const USD_COIN = ['USD Coin', '2'] as const;
export const USDC = ['USDC', '2'] as const;
/** That of the USDC which the bridge of SKALE mints. */
export const SKALE_BRIDGE = ['Bridged USDC (SKALE Bridge)', '2'] as const;

/** Name and version of the EIP-712 domain, `permit2` for contracts without EIP-3009. */
type Domain = readonly [name: string, version: string] | 'permit2';

export function token(symbol: string, address: string, decimals: number, domain?: Domain): Token {
  const permit2Only = domain === 'permit2';
  const named = domain === undefined || permit2Only ? null : { name: domain[0], version: domain[1] };
  return { symbol, address, decimals, dollar: true, domain: named, permit2Only };
}

/** A token whose price in dollars moves. */
export function coin(symbol: string, address: string, decimals: number): Token {
  return { ...token(symbol, address, decimals), dollar: false };
}

export function usdc(address: string, domain?: Domain): Token {
  return token('USDC', address, 6, domain);
}
