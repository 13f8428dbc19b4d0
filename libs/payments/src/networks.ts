/** A network we sell on, with the token that pays there. */
export interface SellingNetwork {
  /** CAIP-2. */
  readonly id: 'eip155:8453' | 'eip155:84532';
  readonly chainId: number;
  /** Name of the network in x402 version 1. */
  readonly v1Name: string;
  /** USDC: address, decimals and the EIP-712 domain its authorizations are signed under. */
  readonly usdc: {
    readonly address: `0x${string}`;
    readonly decimals: 6;
    readonly name: string;
    readonly version: '2';
  };
}

/** Source: Circle's contract addresses; domain separators recomputed from name, version, chain id and address. */
export const NETWORKS = {
  'eip155:8453': {
    id: 'eip155:8453',
    chainId: 8453,
    v1Name: 'base',
    usdc: { address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', decimals: 6, name: 'USD Coin', version: '2' },
  },
  'eip155:84532': {
    id: 'eip155:84532',
    chainId: 84532,
    v1Name: 'base-sepolia',
    // The test token's domain name is "USDC", unlike the real one's.
    usdc: { address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e', decimals: 6, name: 'USDC', version: '2' },
  },
} as const satisfies Record<SellingNetwork['id'], SellingNetwork>;

export type NetworkId = keyof typeof NETWORKS;
