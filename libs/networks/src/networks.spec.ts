import { DEFAULT_ASSETS } from '@x402/evm';
import { getAddress, type Chain } from 'viem';
import * as viemChains from 'viem/chains';
import { isAccount, namespaceOf } from './accounts';
import { explorerUrl } from './explorers';
import { isHederaId, isStellarContract } from './checked-accounts';
import { CHAINS, DEFAULT_NETWORK, perChain, READABLE, SELLABLE, sellingChain } from './chains';
import {
  canonicalNetworkId,
  caip2OfV1Name,
  isCaip2,
  isTokenElsewhere,
  networkById,
  NETWORKS,
  tokenAt,
} from './networks';

const TOKENS = NETWORKS.flatMap(({ caip2, assets = [] }) => assets.map((token) => ({ caip2, ...token })));
/** The format of token identifiers in each namespace. */
const ASSET_FORMS: Readonly<Record<string, (text: string, network: string) => boolean | undefined>> = {
  eip155: isAccount,
  solana: isAccount,
  stellar: isStellarContract,
  algorand: (text) => /^[1-9]\d{0,19}$/.test(text) && BigInt(text) < 1n << 64n,
  aptos: isAccount,
  hedera: (text, network) => text === '0.0.0' || isHederaId(text, network),
  cloudflare: (text) => /^[A-Z]{3}$/.test(text),
};
const PAYEE = '0x8ba1f109551bD432803012645Ac136ddd64DBA72';
const BASE_USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const unique = (items: readonly unknown[]) => {
  expect(items).toHaveLength(new Set(items).size);
};

describe('the table of networks', () => {
  it('has each id, name and V1 name once', () => {
    unique(NETWORKS.map(({ name }) => name.toLowerCase()));
    unique(NETWORKS.flatMap(({ v1Name = [] }) => v1Name));
    for (const { caip2, v1Name } of NETWORKS) {
      expect(isCaip2(caip2) || caip2 === 'cloudflare:402').toBe(true);
      expect(networkById(caip2)?.caip2).toBe(caip2);
      if (v1Name !== undefined) expect(caip2OfV1Name(v1Name)).toBe(caip2);
    }
    expect(caip2OfV1Name('base-sepolia')).toBe('eip155:84532');
    expect(caip2OfV1Name('Base')).toBeUndefined();
  });

  it('knows the form of an account on each of them', () => {
    expect(NETWORKS.filter(({ caip2 }) => isAccount('', caip2) === undefined)).toEqual([]);
  });

  it('has each token of a network once, with a checksum on EVM networks', () => {
    unique(TOKENS.map(({ caip2, address }) => `${caip2} ${address.toLowerCase()}`));
    for (const { caip2, address } of TOKENS) {
      expect(`${caip2} ${address} ${ASSET_FORMS[namespaceOf(caip2)]?.(address, caip2)}`).toMatch(/ true$/);
      if (caip2.startsWith('eip155:')) expect(address).toBe(getAddress(address));
    }
  });

  const published = Object.entries(DEFAULT_ASSETS).flatMap(([network, assets]) =>
    assets.map((asset) => ({ network, ...asset })),
  );

  it.each(published)('agrees with the reference SDK on $asset at $network', (asset) => {
    const token = tokenAt(asset.network, asset.asset);
    expect(token).toMatchObject({ decimals: asset.decimals, permit2Only: asset.assetTransferMethod === 'permit2' });
    if (!token?.permit2Only) expect(token?.domain).toEqual({ name: asset.name, version: asset.version });
  });

  it('finds hexadecimal addresses in any case, and base58 ones exactly', () => {
    expect(tokenAt('eip155:8453', '0X833589FCD6EDB6E08F4C7C32D4F71B54BDA02913')?.symbol).toBe('USDC');
    const mint = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
    expect(tokenAt('solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', mint)?.decimals).toBe(6);
    expect(tokenAt('solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', mint.toLowerCase())).toBeUndefined();
  });

  it('maps the full genesis hash of Algorand to its id, and leaves other ids unchanged', () => {
    const [main, test] = ['algorand:wGHE2Pwdvd7S12BL5FaOP20EGYesN73k', 'algorand:SGO1GKSzyE7IEPItTxCByw9x8FmnrCDe'];
    expect(canonicalNetworkId(`${main}tiC1qzkkit8=`)).toBe(main);
    expect(canonicalNetworkId(`${test}xi9/cOUJOiI=`)).toBe(test);
    for (const id of [...NETWORKS.map(({ caip2 }) => caip2), `${main}tiC1qzkkit8`, 'eip155:8453 ']) {
      expect(canonicalNetworkId(id)).toBe(id);
    }
  });

  it('has one USDC on each network that Circle Gateway serves', () => {
    const served = NETWORKS.filter(({ gateway }) => gateway);
    expect(served.filter(({ testnet }) => testnet)).toHaveLength(12);
    expect(served.filter(({ testnet }) => !testnet)).toHaveLength(12);
    for (const { assets = [] } of served) expect(assets.filter(({ symbol }) => symbol === 'USDC')).toHaveLength(1);
  });

  it('names the explorers of EVM networks as viem does', () => {
    for (const { caip2, explorer } of NETWORKS.filter(({ caip2 }) => caip2.startsWith('eip155:'))) {
      const known = Object.values<Chain>(viemChains).flatMap(({ id, blockExplorers }) =>
        `eip155:${id}` === caip2 && blockExplorers ? [blockExplorers.default.url.replace(/\/$/, '')] : [],
      );
      if (explorer !== undefined && known.length > 0) expect(known).toContain(explorer);
    }
  });

  it.each([
    ['eip155:8453', 'account', PAYEE, `https://basescan.org/address/${PAYEE}`],
    ['eip155:8453', 'asset', BASE_USDC, `https://basescan.org/token/${BASE_USDC}`],
    ['eip155:8453', 'transaction', '0xab', 'https://basescan.org/tx/0xab'],
    ['solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', 'transaction', 'ab', 'https://solscan.io/tx/ab?cluster=devnet'],
    ['hedera:mainnet', 'account', '0.0.456858', 'https://hashscan.io/mainnet/account/0.0.456858'],
    ['eip155:8453', 'account', 'shop.eth', undefined],
    ['eip155:8453', 'asset', PAYEE, undefined],
    ['eip155:8453', 'transaction', '../x?y', 'https://basescan.org/tx/..%2Fx%3Fy'],
    ['eip155:424242', 'account', PAYEE, undefined],
    ['cloudflare:402', 'account', 'merchant', undefined],
  ] as const)('leads to the explorer of %s for the %s %s', (network, kind, id, url) => {
    expect(explorerUrl(network, kind, id)).toBe(url);
  });

  it('recognizes a token address of another network', () => {
    expect(isTokenElsewhere('0x036CbD53842c5426634e7929541eC2318f3dCF7e')).toBe(true);
    expect(isTokenElsewhere('0x8ba1f109551bD432803012645Ac136ddd64DBA72')).toBe(false);
  });
});

describe('the networks whose chain is read', () => {
  it.each(Object.values(CHAINS))('read $id through one variable and know its USDC', (chain) => {
    expect(chain.id).toBe(`eip155:${chain.chainId}`);
    expect(chain.rpcVariable).toBe(`RPC_URL_${chain.chainId}`);
    expect(tokenAt(chain.id, chain.usdc.address)).toMatchObject({
      symbol: 'USDC',
      // Dollar amounts have six decimals everywhere.
      decimals: 6,
      domain: { name: chain.usdc.name, version: chain.usdc.version },
    });
  });

  it('have one variable each', () => {
    unique(Object.values(CHAINS).map(({ rpcVariable }) => rpcVariable));
    expect(perChain(({ id }) => id)).toEqual(Object.fromEntries(READABLE.map((id) => [id, id])));
  });

  it('include those for payments, which have a version 1 name', () => {
    expect(READABLE).toEqual(expect.arrayContaining([...SELLABLE]));
    for (const id of SELLABLE) expect(caip2OfV1Name(CHAINS[id].v1Name)).toBe(id);
  });

  it('start with the default, which is a mainnet', () => {
    expect([READABLE[0], SELLABLE[0]]).toEqual([DEFAULT_NETWORK, DEFAULT_NETWORK]);
    expect(CHAINS[DEFAULT_NETWORK].testnet).toBe(false);
    expect([undefined, '', 'base', 'eip155:1', 'eip155:84532'].map((id) => sellingChain(id).chainId)).toEqual([
      8453, 8453, 8453, 8453, 84532,
    ]);
  });
});
