// Valid payment options, to offer as they are or with changes.
export const PAYEE = '0x8ba1f109551bD432803012645Ac136ddd64DBA72';
export const OTHER = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
export const ZERO = `0x${'0'.repeat(40)}`;
const SOLANA = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
export const SOLANA_PAYEE = '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM';
export const FEE_PAYER = '2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4';
export const RESOURCE = {
  url: 'https://shop.example.com/api/report',
  description: 'A report',
  mimeType: 'application/json',
};
/** An address whose checksum form has no lower-case letters. */
export const CAPITALS = '0x52908400098527886E0F7030069857D2E4169EE7';
export const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Network, its name in version 1, token, and the EIP-712 domain of the token. */
export const TOKENS = [
  ['eip155:8453', 'base', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', 'USD Coin', '2'],
  ['eip155:84532', 'base-sepolia', '0x036CbD53842c5426634e7929541eC2318f3dCF7e', 'USDC', '2'],
  ['eip155:137', 'polygon', '0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359', 'USD Coin', '2'],
  ['eip155:43114', 'avalanche', '0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E', 'USD Coin', '2'],
  ['eip155:143', 'monad', '0x754704Bc059F8C67012fEd69BC8A327a5aafb603', 'USDC', '2'],
  ['eip155:1329', 'sei', '0xe15fC38F6D8c56aF07bbCBe3BAf5708A2Bf42392', 'USDC', '2'],
  ['eip155:1', 'ethereum', '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48', 'USD Coin', '2'],
  ['eip155:42161', 'arbitrum', '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', 'USD Coin', '2'],
  ['eip155:10', 'optimism', '0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85', 'USD Coin', '2'],
  ['eip155:480', 'world', '0x79A02482A880bCE3F13e09Da970dC34db4CD24d1', 'USDC', '2'],
  ['eip155:988', 'stable', '0x779Ded0c9e1022225f8E0630b35a9b54bE713736', 'USDT0', '1'],
  ['eip155:3338', 'peaq', '0xbbA60da06c2c5424f03f7434542280FCAd453d10', 'USDC', '2'],
  ['eip155:1187947933', 'skale-base', '0x85889c8c714505E0c94b30fcfcF64fE3Ac8FCb20', 'Bridged USDC (SKALE Bridge)', '2'],
];

export const MINTS = [
  [SOLANA, 'solana', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'],
  [SOLANA, 'solana', 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'],
  [SOLANA, 'solana', '2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo'],
  ['solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', 'solana-devnet', '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU'],
];

/** Options on networks that no client supports. */
export const ELSEWHERE = [
  ['stellar:pubnet', 'CCW67TSZV3SSS2HXMBQ5JFGCKJNXKZM7UQUWUZPUTHXSTZLEO7SJMI75', `G${'A'.repeat(55)}`],
  ['aptos:1', `0xbae207659db88bea0cbead6da0ed00aac12edcdda169e591cd41c94180b46f3b`, `0x${'1f'.repeat(32)}`],
  ['hedera:mainnet', '0.0.456858', '0.0.1234'],
  ['near:mainnet', 'usdc.near', 'shop.near'],
  ['cloudflare:402', 'USD', 'merchant'],
];

export const EXTRAS = {
  exact: () => ({}),
  upto: () => ({ facilitatorAddress: OTHER }),
  'batch-settlement': () => ({ receiverAuthorizer: OTHER, withdrawDelay: 86_400 }),
  'auth-capture': () => ({
    ...{ captureAuthorizer: OTHER, feeRecipient: OTHER, minFeeBps: 0, maxFeeBps: 100 },
    ...{ captureDeadline: 4_102_444_800, refundDeadline: 4_102_531_200 },
  }),
};

/** Further fields that an option on Solana needs. */
export const SOLANA_EXTRAS = {
  exact: { feePayer: FEE_PAYER },
  upto: {
    ...{ feePayer: FEE_PAYER, receiverAuthorizer: FEE_PAYER, withdrawDelay: 900 },
    tokenProgram: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  },
};

/** Fields of a Circle Gateway option in place of the domain of the token. */
export const GATEWAY = {
  ...{ name: 'GatewayWalletBatched', version: '1' },
  verifyingContract: '0x77777777Dcc4d5A8B6E418Fd04D8997ef11000eE',
};

const TEMPO = {
  currency: '0x20C000000000000000000000b9537d11c60E8b50',
  recipient: PAYEE,
  methodDetails: { chainId: 4_217 },
};
const CARD = { currency: 'usd', methodDetails: { networkId: 'acct_1', paymentMethodTypes: ['card'] } };
const BASE = { currency: TOKENS[0][2], recipient: PAYEE };
const byTransfer = { chainId: 8_453, credentialTypes: ['authorization'], decimals: 6 };

/** `[method, intent, request]` of valid challenges of the Payment scheme. */
export const PAYMENTS = [
  ['tempo', 'charge', TEMPO],
  ['tempo', 'charge', { ...TEMPO, methodDetails: { chainId: 4_217, feePayer: true, supportedModes: ['pull'] } }],
  ['tempo', 'charge', { ...TEMPO, currency: '0x20C0000000000000000000000000000000000000' }],
  ['tempo', 'charge', { ...TEMPO, methodDetails: undefined }],
  ['tempo', 'charge', { ...TEMPO, methodDetails: { chainId: 42_431 } }],
  ['stripe', 'charge', CARD],
  ['evm', 'charge', { ...BASE, methodDetails: byTransfer }],
  ['evm', 'charge', { ...BASE, methodDetails: { chainId: 8_453 } }],
  ['lightning', 'charge', { currency: 'sat', methodDetails: { invoice: 'lnbc10n1pexample', network: 'mainnet' } }],
  [
    'solana',
    'charge',
    { currency: MINTS[0][2], recipient: SOLANA_PAYEE, methodDetails: { network: 'mainnet-beta', decimals: 6 } },
  ],
  ['hedera', 'charge', { currency: '0.0.456858', recipient: '0.0.1234', methodDetails: { chainId: 295 } }],
  ['xrpl', 'charge', { currency: 'XRP', recipient: 'rEXAMPLE' }],
];
