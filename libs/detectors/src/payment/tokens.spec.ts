import { DEFAULT_ASSETS } from '@x402/evm';
import { checksumHolds, checksummed, isEvmAddress, isPlaceholder, isSolanaKey, isUnspendable } from './addresses';
import { caip2OfV1Name, networkById, NETWORKS } from './networks';
import { isTokenElsewhere, tokenAt, TOKENS } from './tokens';

describe('the token table', () => {
  it('names only networks of the network table, each token once', () => {
    expect(TOKENS.filter((token) => !networkById(token.network))).toEqual([]);
    expect(new Set(TOKENS.map((token) => `${token.network} ${token.address.toLowerCase()}`)).size).toBe(TOKENS.length);
    expect(new Set(NETWORKS.map(({ caip2 }) => caip2)).size).toBe(NETWORKS.length);
  });

  it.each(TOKENS.filter(({ network }) => network.startsWith('eip155:')))(
    'holds a valid address for $symbol on $network',
    ({ address }) => {
      expect(isEvmAddress(address) && checksumHolds(address)).toBe(true);
    },
  );

  const published = Object.entries(DEFAULT_ASSETS).flatMap(([network, assets]) =>
    assets.map((asset) => ({ network, ...asset })),
  );

  it.each(published)('agrees with the reference SDK on $asset at $network', (asset) => {
    const token = tokenAt(asset.network, asset.asset);
    expect(token).toMatchObject({ decimals: asset.decimals, permit2Only: asset.assetTransferMethod === 'permit2' });
    if (!token?.permit2Only) expect(token?.domain).toEqual({ name: asset.name, version: asset.version });
  });

  it('finds hexadecimal addresses in any case and base58 ones exactly', () => {
    expect(tokenAt('eip155:8453', '0X833589FCD6EDB6E08F4C7C32D4F71B54BDA02913')?.symbol).toBe('USDC');
    const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
    expect(tokenAt('solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', mint)?.decimals).toBe(6);
    expect(tokenAt('solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', mint.toLowerCase())).toBeUndefined();
  });

  it('knows an address that belongs to another network', () => {
    expect(isTokenElsewhere('0x036CbD53842c5426634e7929541eC2318f3dCF7e')).toBe(true);
    expect(isTokenElsewhere('0x8ba1f109551bD432803012645Ac136ddd64DBA72')).toBe(false);
  });

  it('maps the V1 names', () => {
    expect(caip2OfV1Name('base-sepolia')).toBe('eip155:84532');
    expect(caip2OfV1Name('Base')).toBeUndefined();
  });
});

describe('addresses', () => {
  // Test vectors of EIP-55.
  it.each([
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
    '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
  ])('checksums %s', (address) => {
    expect(checksummed(address.toLowerCase())).toBe(address);
    expect(checksumHolds(address)).toBe(true);
    expect(checksumHolds(address.replace(/[a-f]/, (digit) => digit.toUpperCase()))).toBe(false);
  });

  it('takes addresses without case for unchecked', () => {
    expect(checksumHolds(`0x${'ab'.repeat(20)}`)).toBe(true);
    expect(checksumHolds(`0x${'AB'.repeat(20)}`)).toBe(true);
  });

  it('tells Solana keys by their 32 octets', () => {
    expect(isSolanaKey('11111111111111111111111111111111')).toBe(true);
    expect(isSolanaKey('2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4')).toBe(true);
    expect(isSolanaKey('1111111111111111111111111111111')).toBe(false);
    expect(isSolanaKey('z'.repeat(44))).toBe(false);
    expect(isSolanaKey('0wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4')).toBe(false);
  });

  it('knows addresses nobody can spend from and text nobody replaced', () => {
    expect(isUnspendable(`0x${'0'.repeat(40)}`)).toBe(true);
    expect(isUnspendable('0x000000000000000000000000000000000000dEaD')).toBe(true);
    expect(['YOUR_WALLET_ADDRESS', '{{PAY_TO}}', '<address>', '0x...'].every(isPlaceholder)).toBe(true);
    expect(isPlaceholder('0x8ba1f109551bD432803012645Ac136ddd64DBA72')).toBe(false);
  });
});
