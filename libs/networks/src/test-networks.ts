import { coin, SKALE_BRIDGE, token, usdc, USD_COIN, USDC, type NetworkRow, type ReadableRow } from './network-row';

/** The tokens of both Solana test networks. */
const SOLANA_TOKENS = [
  usdc('4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU'),
  token('USDG', '4F6PM96JJxngmHnZLBh9n58RH4aTVNWvDs2nuwrT5BP7', 6),
  token('PYUSD', 'CXk2AMBfi3TwaEL2468s6zP8xq9NxTXjp9gjMgzeUynM', 6),
];

/** The rows of test networks. */
export const TEST_NETWORKS = {
  'eip155:84532': {
    name: 'Base Sepolia',
    testnet: true,
    v1Name: 'base-sepolia',
    assets: [usdc('0x036CbD53842c5426634e7929541eC2318f3dCF7e', USDC)],
    rpcVariable: 'RPC_URL_84532',
    explorer: 'https://sepolia.basescan.org',
    sellable: true,
    gateway: true,
  },
  'eip155:51': {
    name: 'XDC Apothem',
    testnet: true,
    assets: [usdc('0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4', USDC)],
  },
  'eip155:998': {
    name: 'HyperEVM testnet',
    testnet: true,
    assets: [usdc('0x2B3370eE501B4a559b57D449569354196457D8Ab')],
    gateway: true,
  },
  'eip155:1301': {
    name: 'Unichain Sepolia',
    testnet: true,
    assets: [usdc('0x31d0220469e10c4E71834a79b1f276d740d3768F')],
    gateway: true,
  },
  'eip155:1328': {
    name: 'Sei testnet',
    testnet: true,
    v1Name: 'sei-testnet',
    assets: [usdc('0x4fCF1784B31630811181f670Aea7A7bEF803eaED', USDC)],
    gateway: true,
  },
  'eip155:2201': {
    name: 'Stable testnet',
    testnet: true,
    v1Name: 'stable-testnet',
    assets: [token('USDT0', '0x78Cf24370174180738C5B8E352B6D14c83a6c9A9', 6, ['USDT0', '1'])],
  },
  'eip155:10143': {
    name: 'Monad testnet',
    testnet: true,
    assets: [usdc('0x534b2f3A21130d7a60830c2Df862319e593943A3', USDC)],
  },
  'eip155:11124': {
    name: 'Abstract testnet',
    testnet: true,
    v1Name: 'abstract-testnet',
    assets: [token('USDC.e', '0xe4C7fBB0a626ed208021ccabA6Be1566905E2dFc', 6)],
  },
  'eip155:31611': {
    name: 'Mezo testnet',
    testnet: true,
    assets: [token('mUSD', '0x118917a40FAF1CD7a13dB0Ef56C86De7973Ac503', 18, 'permit2')],
  },
  'eip155:42431': { name: 'Tempo Moderato testnet', testnet: true },
  'eip155:43113': {
    name: 'Avalanche Fuji',
    testnet: true,
    v1Name: 'avalanche-fuji',
    assets: [usdc('0x5425890298aed601595a70AB815c96711a31Bc65', USD_COIN)],
    gateway: true,
  },
  'eip155:72344': {
    name: 'Radius testnet',
    testnet: true,
    assets: [token('SBC', '0x33ad9e4BD16B69B5BFdED37D8B5D9fF9aba014Fb', 6, 'permit2')],
  },
  'eip155:80002': {
    name: 'Polygon Amoy',
    testnet: true,
    v1Name: 'polygon-amoy',
    assets: [usdc('0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582', USDC)],
    gateway: true,
  },
  'eip155:181228': {
    name: 'HPP Sepolia',
    testnet: true,
    assets: [token('USDC.e', '0x401eCb1D350407f13ba348573E5630B83638E30D', 6, ['Bridged USDC', '2'])],
  },
  'eip155:421614': {
    name: 'Arbitrum Sepolia',
    testnet: true,
    assets: [usdc('0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d', USD_COIN)],
    gateway: true,
  },
  'eip155:4801': {
    name: 'World Chain Sepolia',
    testnet: true,
    assets: [usdc('0x66145f38cBAC35Ca6F1Dfb4914dF98F1614aeA88')],
    gateway: true,
  },
  'eip155:14601': {
    name: 'Sonic testnet',
    testnet: true,
    assets: [usdc('0x0BA304580ee7c9a980CF72e55f5Ed2E9fd30Bc51')],
    gateway: true,
  },
  'eip155:11155420': {
    name: 'Optimism Sepolia',
    testnet: true,
    assets: [usdc('0x5fd84259d66Cd46123540766Be93DFE6D43130D7')],
    gateway: true,
  },
  'eip155:5042002': {
    name: 'Arc testnet',
    testnet: true,
    assets: [usdc('0x3600000000000000000000000000000000000000', USDC)],
    gateway: true,
  },
  'eip155:11142220': {
    name: 'Celo Sepolia',
    testnet: true,
    assets: [usdc('0x01C5C0122039549AD1493B8220cABEdD739BC44E', USDC)],
  },
  'eip155:11155111': {
    name: 'Ethereum Sepolia',
    testnet: true,
    v1Name: 'sepolia',
    assets: [usdc('0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238', USDC)],
    gateway: true,
  },
  'eip155:324705682': {
    name: 'SKALE Base Sepolia',
    testnet: true,
    v1Name: 'skale-base-sepolia',
    assets: [token('USDC.e', '0x2e08028E3C4c2356572E096d8EF835cD5C6030bD', 6, SKALE_BRIDGE)],
  },
  'eip155:1444673419': {
    name: 'SKALE Europa testnet',
    testnet: true,
    v1Name: 'skale-europa-testnet',
    assets: [usdc('0x9eAb55199f4481eCD7659540A17Af618766b07C4')],
  },
  'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1': {
    name: 'Solana devnet',
    testnet: true,
    v1Name: 'solana-devnet',
    assets: SOLANA_TOKENS,
  },
  'solana:4uhcVJyU9pJkvQyS88uRDiswHXSCkY3z': {
    name: 'Solana testnet',
    testnet: true,
    v1Name: 'solana-testnet',
    assets: SOLANA_TOKENS,
  },
  'stellar:testnet': {
    name: 'Stellar testnet',
    testnet: true,
    assets: [token('USDC', 'CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA', 7)],
  },
  'algorand:SGO1GKSzyE7IEPItTxCByw9x8FmnrCDe': {
    name: 'Algorand testnet',
    testnet: true,
    assets: [usdc('10458941')],
  },
  'aptos:2': {
    name: 'Aptos testnet',
    testnet: true,
    assets: [usdc('0x69091fbab5f7d635ee7ac5098cf0c1efbe31d68fec0f2cd565e8d168daf52832')],
  },
  'hedera:testnet': {
    name: 'Hedera testnet',
    testnet: true,
    assets: [usdc('0.0.429274'), coin('HBAR', '0.0.0', 8)],
  },
} as const satisfies Readonly<Record<string, NetworkRow | ReadableRow>>;
