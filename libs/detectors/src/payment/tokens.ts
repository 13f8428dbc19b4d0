/** The EIP-712 domain an EIP-3009 authorisation of a token is signed under. */
export interface TokenDomain {
  readonly name: string;
  readonly version: string;
}

/** A token pegged to the US dollar on one network. */
export interface Token {
  /** CAIP-2 id. */
  readonly network: string;
  readonly symbol: string;
  readonly address: string;
  readonly decimals: number;
  /** The contract's own domain; null when it has no EIP-3009, or when nobody has read it for us. */
  readonly domain: TokenDomain | null;
  /** The contract has no EIP-3009: only Permit2 moves it by signature. */
  readonly permit2Only: boolean;
}

type Row = readonly [network: string, symbol: string, address: string, decimals: number, domain?: Domain];
/** Name and version of the EIP-712 domain, `permit2` for contracts without EIP-3009. */
type Domain = readonly [name: string, version: string] | 'permit2';

const USD_COIN = ['USD Coin', '2'] as const;
const USDC = ['USDC', '2'] as const;

const ROWS: readonly Row[] = [
  ['eip155:8453', 'USDC', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', 6, USD_COIN],
  ['eip155:84532', 'USDC', '0x036CbD53842c5426634e7929541eC2318f3dCF7e', 6, USDC],
  ['eip155:1', 'USDC', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', 6, USD_COIN],
  ['eip155:10', 'USDC', '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85', 6, USD_COIN],
  ['eip155:14', 'USD₮0', '0xe7cd86e13AC4309349F30B3435a9d337750fC82D', 6, ['USD₮0', '1']],
  ['eip155:50', 'USDC', '0xfA2958CB79b0491CC627c1557F441eF849Ca8eb1', 6, USDC],
  ['eip155:51', 'USDC', '0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4', 6, USDC],
  ['eip155:56', 'USD1', '0x8d0D000Ee44948FC98c9B98A4FA4921476f08B0d', 18, ['World Liberty Financial USD', '1']],
  ['eip155:56', 'U', '0xcE24439F2D9C6a2289F741120FE202248B666666', 18, ['United Stables', '1']],
  ['eip155:130', 'USDC', '0x078D782b760474a361dDA0AF3839290b0EF57AD6', 6, USDC],
  ['eip155:137', 'USDC', '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', 6, USD_COIN],
  ['eip155:143', 'USDC', '0x754704Bc059F8C67012fEd69BC8A327a5aafb603', 6, USDC],
  ['eip155:146', 'USDC', '0x29219dd400f2Bf60E5a23d13Be72B486D4038894', 6, USDC],
  ['eip155:196', 'USD₮0', '0x779Ded0c9e1022225f8E0630b35a9b54bE713736', 6, ['USD₮0', '1']],
  ['eip155:196', 'USDC', '0x74b7F16337b8972027F6196A17a631aC6dE26d22', 6, USD_COIN],
  ['eip155:196', 'USDC', '0xB6CEceAB302E2E4948951eE7843FC24E92933061', 6],
  ['eip155:196', 'USDG', '0x4ae46a509F6b1D9056937BA4500cb143933D2dc8', 6, ['Global Dollar', '1']],
  ['eip155:480', 'USDC', '0x79A02482A880bCE3F13e09Da970dC34db4CD24d1', 6, USDC],
  ['eip155:988', 'USDT0', '0x779Ded0c9e1022225f8E0630b35a9b54bE713736', 6, ['USDT0', '1']],
  ['eip155:999', 'USDC', '0xb88339CB7199b77E23DB6E890353E22632Ba630f', 6, USDC],
  ['eip155:1328', 'USDC', '0x4fCF1784B31630811181f670Aea7A7bEF803eaED', 6, USDC],
  ['eip155:1329', 'USDC', '0xe15fC38F6D8c56aF07bbCBe3BAf5708A2Bf42392', 6, USDC],
  ['eip155:2201', 'USDT0', '0x78Cf24370174180738C5B8E352B6D14c83a6c9A9', 6, ['USDT0', '1']],
  ['eip155:4217', 'USDC.e', '0x20C000000000000000000000b9537d11c60E8b50', 6],
  ['eip155:4217', 'pathUSD', '0x20c0000000000000000000000000000000000000', 6],
  ['eip155:4326', 'USDm', '0xFAfDdbb3FC7688494971a79cc65DCa3EF82079E7', 18, 'permit2'],
  ['eip155:4689', 'USDC.e', '0xcdf79194c6c285077a58da47641d4dbe51f63542', 6],
  ['eip155:5042', 'USDC', '0x3600000000000000000000000000000000000000', 6, USDC],
  ['eip155:10143', 'USDC', '0x534b2f3A21130d7a60830c2Df862319e593943A3', 6, USDC],
  ['eip155:31611', 'mUSD', '0x118917a40FAF1CD7a13dB0Ef56C86De7973Ac503', 18, 'permit2'],
  ['eip155:31612', 'mUSD', '0xdD468A1DDc392dcdbEf6db6e34E89AA338F9F186', 18, 'permit2'],
  ['eip155:36900', 'USDC.e', '0x9cb8142aEBBcdc60AF7c97Af897A67A8f3CA71C2', 6, ['USDC.e', '2']],
  ['eip155:38833', 'USDC', '0xA5b8BF902b2844dA17d4506cc827F7F1681735E7', 6, 'permit2'],
  ['eip155:42161', 'USDC', '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', 6, USD_COIN],
  ['eip155:42220', 'USDC', '0xcebA9300f2b948710d2653dD7B07f33A8B32118C', 6, USDC],
  ['eip155:42220', 'USDT', '0x48065fbBE25f71C9282ddf5e1cD6D6A887483D5e', 6, ['Tether USD', '1']],
  ['eip155:42220', 'USAT', '0xD2ab3C9A02DBBAB236BfEC45D1d755DF4267F771', 6, ['Tether America USD', '1']],
  ['eip155:43113', 'USDC', '0x5425890298aed601595a70AB815c96711a31Bc65', 6, USD_COIN],
  ['eip155:43114', 'USDC', '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E', 6, USD_COIN],
  ['eip155:57073', 'USDC', '0x2D270e6886d130D724215A266106e6832161EAEd', 6],
  ['eip155:59144', 'USDC', '0x176211869cA2b568f2A7D4EE941E073a821EE1ff', 6],
  ['eip155:72344', 'SBC', '0x33ad9e4BD16B69B5BFdED37D8B5D9fF9aba014Fb', 6, 'permit2'],
  ['eip155:80002', 'USDC', '0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582', 6, USDC],
  ['eip155:181228', 'USDC.e', '0x401eCb1D350407f13ba348573E5630B83638E30D', 6, ['Bridged USDC', '2']],
  ['eip155:190415', 'USDC.e', '0x401eCb1D350407f13ba348573E5630B83638E30D', 6, ['Bridged USDC', '2']],
  ['eip155:421614', 'USDC', '0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d', 6, USD_COIN],
  ['eip155:723487', 'SBC', '0x33ad9e4BD16B69B5BFdED37D8B5D9fF9aba014Fb', 6, 'permit2'],
  ['eip155:5042002', 'USDC', '0x3600000000000000000000000000000000000000', 6, USDC],
  ['eip155:11142220', 'USDC', '0x01C5C0122039549AD1493B8220cABEdD739BC44E', 6, USDC],
  ['eip155:11155111', 'USDC', '0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238', 6, USDC],
  ['solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', 'USDC', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 6],
  ['solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', 'USDC', '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU', 6],
  // Pay per crawl: the currency is the asset and its unit the cent.
  ['cloudflare:402', 'USD', 'USD', 2],
];

/**
 * Dollar tokens by network, from the issuers' address lists and the default assets of the x402 SDK. The only source of
 * decimals: what a challenge says about its own decimals is never used for a price.
 */
export const TOKENS: readonly Token[] = ROWS.map(([network, symbol, address, decimals, domain]) => ({
  network,
  symbol,
  address,
  decimals,
  domain: domain === undefined || domain === 'permit2' ? null : { name: domain[0], version: domain[1] },
  permit2Only: domain === 'permit2',
}));

const BY_KEY = new Map(TOKENS.map((token) => [keyOf(token.network, token.address), token]));
const NETWORKS_BY_ADDRESS = new Map(TOKENS.map((token) => [normalised(token.address), token.network]));

/** The token at `address` of a network. Hexadecimal addresses compare without case, base58 ones exactly. */
export function tokenAt(network: string, address: string): Token | undefined {
  return BY_KEY.get(keyOf(network, address));
}

/** Whether a known token has this address on some network: then an unknown (network, asset) pair is a mix-up. */
export function isTokenElsewhere(address: string): boolean {
  return NETWORKS_BY_ADDRESS.has(normalised(address));
}

function keyOf(network: string, address: string): string {
  return `${network} ${normalised(address)}`;
}

function normalised(address: string): string {
  return /^0x/i.test(address) ? address.toLowerCase() : address;
}
