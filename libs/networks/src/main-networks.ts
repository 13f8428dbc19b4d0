import { coin, SKALE_BRIDGE, token, usdc, USD_COIN, USDC, type NetworkRow, type ReadableRow } from './network-row';

/** The rows of main networks. */
export const MAIN_NETWORKS = {
  'eip155:8453': {
    name: 'Base',
    v1Name: 'base',
    assets: [usdc('0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', USD_COIN)],
    rpcVariable: 'RPC_URL_8453',
    explorer: 'https://basescan.org',
    sellable: true,
    gateway: true,
  },
  'eip155:1': {
    name: 'Ethereum',
    v1Name: 'ethereum',
    assets: [usdc('0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', USD_COIN)],
    gateway: true,
  },
  'eip155:10': {
    name: 'Optimism',
    assets: [usdc('0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85', USD_COIN)],
    gateway: true,
  },
  'eip155:14': {
    name: 'Flare',
    v1Name: 'flare',
    assets: [token('USD₮0', '0xe7cd86e13AC4309349F30B3435a9d337750fC82D', 6, ['USD₮0', '1'])],
  },
  'eip155:50': { name: 'XDC', assets: [usdc('0xfA2958CB79b0491CC627c1557F441eF849Ca8eb1', USDC)] },
  'eip155:56': {
    name: 'BNB Smart Chain',
    assets: [
      token('USD1', '0x8d0D000Ee44948FC98c9B98A4FA4921476f08B0d', 18, ['World Liberty Financial USD', '1']),
      token('U', '0xcE24439F2D9C6a2289F741120FE202248B666666', 18, ['United Stables', '1']),
    ],
  },
  'eip155:130': { name: 'Unichain', assets: [usdc('0x078D782b760474a361dDA0AF3839290b0EF57AD6', USDC)], gateway: true },
  'eip155:137': {
    name: 'Polygon',
    v1Name: 'polygon',
    assets: [usdc('0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', USD_COIN)],
    gateway: true,
  },
  'eip155:143': { name: 'Monad', v1Name: 'monad', assets: [usdc('0x754704Bc059F8C67012fEd69BC8A327a5aafb603', USDC)] },
  'eip155:146': { name: 'Sonic', assets: [usdc('0x29219dd400f2Bf60E5a23d13Be72B486D4038894', USDC)], gateway: true },
  'eip155:196': {
    name: 'X Layer',
    assets: [
      token('USD₮0', '0x779Ded0c9e1022225f8E0630b35a9b54bE713736', 6, ['USD₮0', '1']),
      usdc('0x74b7F16337b8972027F6196A17a631aC6dE26d22', USD_COIN),
      usdc('0xB6CEceAB302E2E4948951eE7843FC24E92933061'),
      token('USDG', '0x4ae46a509F6b1D9056937BA4500cb143933D2dc8', 6, ['Global Dollar', '1']),
    ],
  },
  'eip155:480': {
    name: 'World Chain',
    assets: [usdc('0x79A02482A880bCE3F13e09Da970dC34db4CD24d1', USDC)],
    gateway: true,
  },
  'eip155:988': {
    name: 'Stable',
    v1Name: 'stable',
    assets: [token('USDT0', '0x779Ded0c9e1022225f8E0630b35a9b54bE713736', 6, ['USDT0', '1'])],
  },
  'eip155:999': { name: 'HyperEVM', assets: [usdc('0xb88339CB7199b77E23DB6E890353E22632Ba630f', USDC)], gateway: true },
  'eip155:1329': {
    name: 'Sei',
    v1Name: 'sei',
    assets: [usdc('0xe15fC38F6D8c56aF07bbCBe3BAf5708A2Bf42392', USDC)],
    gateway: true,
  },
  'eip155:1514': {
    name: 'Story',
    v1Name: 'story',
    assets: [token('USDC.e', '0xF1815bd50389c46847f0Bda824eC8da914045D14', 6)],
  },
  'eip155:2741': {
    name: 'Abstract',
    v1Name: 'abstract',
    assets: [token('USDC.e', '0x84A71ccD554Cc1b02749b35d22F684CC8ec987e1', 6)],
  },
  'eip155:3338': {
    name: 'peaq',
    v1Name: 'peaq',
    assets: [usdc('0xbbA60da06c2c5424f03f7434542280FCAd453d10', USDC)],
  },
  'eip155:4217': {
    name: 'Tempo',
    assets: [
      token('USDC.e', '0x20C000000000000000000000b9537d11c60E8b50', 6),
      token('pathUSD', '0x20C0000000000000000000000000000000000000', 6),
    ],
  },
  'eip155:4326': {
    name: 'MegaETH',
    v1Name: 'megaeth',
    assets: [token('USDm', '0xFAfDdbb3FC7688494971a79cc65DCa3EF82079E7', 18, 'permit2')],
  },
  'eip155:4689': {
    name: 'IoTeX',
    v1Name: 'iotex',
    assets: [token('USDC.e', '0xcDf79194C6C285077A58da47641D4dBe51F63542', 6)],
  },
  'eip155:5042': { name: 'Arc', assets: [usdc('0x3600000000000000000000000000000000000000', USDC)], gateway: true },
  'eip155:31612': {
    name: 'Mezo',
    assets: [token('mUSD', '0xdD468A1DDc392dcdbEf6db6e34E89AA338F9F186', 18, 'permit2')],
  },
  'eip155:36900': {
    name: 'ADI Chain',
    assets: [token('USDC.e', '0x9cb8142aEBBcdc60AF7c97Af897A67A8f3CA71C2', 6, ['USDC.e', '2'])],
  },
  'eip155:38833': { name: 'Igra', assets: [usdc('0xA5b8BF902b2844dA17d4506cc827F7F1681735E7', 'permit2')] },
  'eip155:41923': {
    name: 'EDU Chain',
    v1Name: 'educhain',
    assets: [token('USDC.e', '0x12a272A581feE5577A5dFa371afEB4b2F3a8C2F8', 6)],
  },
  'eip155:42161': {
    name: 'Arbitrum One',
    assets: [usdc('0xaf88d065e77c8cC2239327C5EDb3A432268e5831', USD_COIN)],
    gateway: true,
  },
  'eip155:42220': {
    name: 'Celo',
    v1Name: 'celo',
    assets: [
      usdc('0xcebA9300f2b948710d2653dD7B07f33A8B32118C', USDC),
      token('USDT', '0x48065fbBE25f71C9282ddf5e1cD6D6A887483D5e', 6, ['Tether USD', '1']),
      token('USAT', '0xD2ab3C9A02DBBAB236BfEC45D1d755DF4267F771', 6, ['Tether America USD', '1']),
    ],
  },
  'eip155:43114': {
    name: 'Avalanche C-Chain',
    v1Name: 'avalanche',
    assets: [usdc('0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E', USD_COIN)],
    gateway: true,
  },
  'eip155:57073': {
    name: 'Ink',
    assets: [
      usdc('0x2D270e6886d130D724215A266106e6832161EAEd'),
      token('USDC.e', '0xF1815bd50389c46847f0Bda824eC8da914045D14', 6),
    ],
  },
  'eip155:59144': { name: 'Linea', assets: [usdc('0x176211869cA2b568f2A7D4EE941E073a821EE1ff')] },
  'eip155:190415': {
    name: 'HPP',
    assets: [token('USDC.e', '0x401eCb1D350407f13ba348573E5630B83638E30D', 6, ['Bridged USDC', '2'])],
  },
  'eip155:723487': {
    name: 'Radius',
    assets: [token('SBC', '0x33ad9e4BD16B69B5BFdED37D8B5D9fF9aba014Fb', 6, 'permit2')],
  },
  'eip155:1187947933': {
    name: 'SKALE Base',
    v1Name: 'skale-base',
    assets: [token('USDC.e', '0x85889c8c714505E0c94b30fcfcF64fE3Ac8FCb20', 6, SKALE_BRIDGE)],
  },
  'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp': {
    name: 'Solana',
    v1Name: 'solana',
    assets: [
      usdc('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'),
      token('USDT', 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB', 6),
      token('USDG', '2u1tszSeqZ3qBWF3uNGPFc8TzMk2tdiwknnRMWGWjGWH', 6),
      token('PYUSD', '2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo', 6),
      token('CASH', 'CASHx9KJUStyftLFWGvEVf59SGeG9sh5FfcnZMVPCASH', 6),
    ],
  },
  'stellar:pubnet': {
    name: 'Stellar',
    assets: [token('USDC', 'CCW67TSZV3SSS2HXMBQ5JFGCKJNXKZM7UQUWUZPUTHXSTZLEO7SJMI75', 7)],
  },
  'algorand:wGHE2Pwdvd7S12BL5FaOP20EGYesN73k': { name: 'Algorand', assets: [usdc('31566704')] },
  'aptos:1': {
    name: 'Aptos',
    assets: [usdc('0xbae207659db88bea0cbead6da0ed00aac12edcdda169e591cd41c94180b46f3b')],
  },
  'hedera:mainnet': { name: 'Hedera', assets: [usdc('0.0.456858'), coin('HBAR', '0.0.0', 8)] },
  'cloudflare:402': { name: 'Cloudflare', assets: [token('USD', 'USD', 2)] },
} as const satisfies Readonly<Record<string, NetworkRow | ReadableRow>>;
