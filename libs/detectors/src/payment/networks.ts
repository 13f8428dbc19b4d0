/** A network that payment challenges name, as we know it. */
export interface Network {
  /** CAIP-2 id. */
  readonly caip2: string;
  readonly name: string;
  readonly testnet: boolean;
}

type Row = readonly [caip2: string, name: string, v1Name?: string];

/** CAIP-2 id, name, and the network's name in x402 V1 challenges. */
const MAINNETS: readonly Row[] = [
  ['eip155:8453', 'Base', 'base'],
  ['eip155:1', 'Ethereum', 'ethereum'],
  ['eip155:10', 'Optimism'],
  ['eip155:14', 'Flare', 'flare'],
  ['eip155:50', 'XDC'],
  ['eip155:56', 'BNB Smart Chain'],
  ['eip155:130', 'Unichain'],
  ['eip155:137', 'Polygon', 'polygon'],
  ['eip155:143', 'Monad', 'monad'],
  ['eip155:146', 'Sonic'],
  ['eip155:196', 'X Layer'],
  ['eip155:480', 'World Chain'],
  ['eip155:988', 'Stable', 'stable'],
  ['eip155:999', 'HyperEVM'],
  ['eip155:1329', 'Sei', 'sei'],
  ['eip155:1514', 'Story', 'story'],
  ['eip155:2741', 'Abstract', 'abstract'],
  ['eip155:3338', 'peaq', 'peaq'],
  ['eip155:4217', 'Tempo'],
  ['eip155:4326', 'MegaETH', 'megaeth'],
  ['eip155:4689', 'IoTeX', 'iotex'],
  ['eip155:5042', 'Arc'],
  ['eip155:31612', 'Mezo'],
  ['eip155:36900', 'ADI Chain'],
  ['eip155:38833', 'Igra'],
  ['eip155:41923', 'EDU Chain', 'educhain'],
  ['eip155:42161', 'Arbitrum One'],
  ['eip155:42220', 'Celo', 'celo'],
  ['eip155:43114', 'Avalanche C-Chain', 'avalanche'],
  ['eip155:57073', 'Ink'],
  ['eip155:59144', 'Linea'],
  ['eip155:190415', 'HPP'],
  ['eip155:723487', 'Radius'],
  ['solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', 'Solana', 'solana'],
  ['stellar:pubnet', 'Stellar'],
  ['aptos:1', 'Aptos'],
  ['cloudflare:402', 'Cloudflare'],
];

const TESTNETS: readonly Row[] = [
  ['eip155:84532', 'Base Sepolia', 'base-sepolia'],
  ['eip155:51', 'XDC Apothem'],
  ['eip155:1328', 'Sei testnet', 'sei-testnet'],
  ['eip155:2201', 'Stable testnet', 'stable-testnet'],
  ['eip155:10143', 'Monad testnet'],
  ['eip155:11124', 'Abstract testnet', 'abstract-testnet'],
  ['eip155:31611', 'Mezo testnet'],
  ['eip155:42431', 'Tempo Moderato testnet'],
  ['eip155:43113', 'Avalanche Fuji', 'avalanche-fuji'],
  ['eip155:72344', 'Radius testnet'],
  ['eip155:80002', 'Polygon Amoy', 'polygon-amoy'],
  ['eip155:181228', 'HPP Sepolia'],
  ['eip155:421614', 'Arbitrum Sepolia'],
  ['eip155:5042002', 'Arc testnet'],
  ['eip155:11142220', 'Celo Sepolia'],
  ['eip155:11155111', 'Ethereum Sepolia', 'sepolia'],
  ['eip155:324705682', 'SKALE Base Sepolia', 'skale-base-sepolia'],
  ['solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', 'Solana devnet', 'solana-devnet'],
  ['solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z', 'Solana testnet', 'solana-testnet'],
  ['stellar:testnet', 'Stellar testnet'],
  ['aptos:2', 'Aptos testnet'],
];

/**
 * Networks seen in x402 and MPP challenges. Chain ids as registered at https://chainlist.org, Solana, Stellar and Aptos
 * ids as in https://github.com/x402-foundation/x402, V1 names as in that project's legacy map.
 */
export const NETWORKS: readonly Network[] = [
  ...MAINNETS.map(([caip2, name]) => ({ caip2, name, testnet: false })),
  ...TESTNETS.map(([caip2, name]) => ({ caip2, name, testnet: true })),
];

const BY_ID = new Map(NETWORKS.map((network) => [network.caip2, network]));
const BY_V1_NAME = new Map(
  [...MAINNETS, ...TESTNETS].flatMap(([caip2, , v1Name]) => (v1Name === undefined ? [] : [[v1Name, caip2] as const])),
);

/** CAIP-2 grammar, https://chainagnostic.org/CAIPs/caip-2. */
const CAIP2 = /^[-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$/;

export function isCaip2(id: string): boolean {
  return CAIP2.test(id);
}

/** The known network with this CAIP-2 id. */
export function networkById(caip2: string): Network | undefined {
  return BY_ID.get(caip2);
}

/** CAIP-2 id of a network's name in x402 V1, for example `base` → `eip155:8453`. */
export function caip2OfV1Name(name: string): string | undefined {
  return BY_V1_NAME.get(name);
}
