import fc from 'fast-check';
import { ACCOUNTS, mistyped, NAMESPACES, type Namespace } from '../../../test/support/payment-accounts';
import { isAccount, isSolanaKey, isUnjudged, isUnspendable, namespaceOf } from './accounts';
import { NETWORKS } from './networks';

const networksOf = (namespace: Namespace) => NETWORKS.filter(({ caip2 }) => namespaceOf(caip2) === namespace);

describe('accounts', () => {
  it('recognizes Solana keys by their 32 bytes', () => {
    expect(isSolanaKey('11111111111111111111111111111111')).toBe(true);
    expect(isSolanaKey('2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4')).toBe(true);
    expect(isSolanaKey('1111111111111111111111111111111')).toBe(false);
    expect(isSolanaKey('z'.repeat(44))).toBe(false);
    expect(isSolanaKey('0wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4')).toBe(false);
  });

  it.each([
    ['eip155:8453', '0x8ba1f109551bD432803012645Ac136ddd64DBA72', true],
    ['eip155:987654321', 'shop.eth', false],
    ['stellar:pubnet', 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ', true],
    ['stellar:pubnet', 'MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ', true],
    ['stellar:pubnet', 'CCW67TSZV3SSS2HXMBQ5JFGCKJNXKZM7UQUWUZPUTHXSTZLEO7SJMI75', true],
    ['stellar:pubnet', `G${'A'.repeat(55)}`, false],
    ['algorand:wGHE2Pwdvd7S12BL5FaOP20EGYesN73k', `${'A'.repeat(52)}Y5HFKQ`, true],
    ['algorand:wGHE2Pwdvd7S12BL5FaOP20EGYesN73k', 'A'.repeat(58), false],
    ['aptos:1', `0x${'a'.repeat(64)}`, true],
    ['aptos:1', '0x1', false],
    ['hedera:mainnet', '0.0.123', true],
    ['hedera:mainnet', '0.0.123-vfmkw', true],
    ['hedera:testnet', '0.0.123-esxsf', true],
    ['hedera:testnet', '0.0.123-vfmkw', false],
    ['hedera:mainnet', '0.0.9223372036854775808', false],
    ['hedera:mainnet', '0.0.0', false],
    ['hedera:mainnet', '0x8ba1f109551bD432803012645Ac136ddd64DBA72', true],
    ['cloudflare:402', 'merchant', true],
    ['lightning:mainnet', 'anything', undefined],
    ['no namespace', 'anything', undefined],
  ])('are distinguished on %s: %s', (network, account, expected) => {
    expect(isAccount(account, network)).toBe(expected);
  });

  it.each(NAMESPACES)('of %s are valid on each of its networks, known or not', (namespace) => {
    const ids = [...networksOf(namespace).map(({ caip2 }) => caip2), `${namespace}:another`];
    fc.assert(
      fc.property(ACCOUNTS[namespace], fc.constantFrom(...ids), (account, network) => {
        expect(isAccount(account, network)).toBe(true);
        expect(isUnspendable(account)).toBe(false);
      }),
    );
  });

  it('of one namespace are invalid on the networks of all others', () => {
    const pairs = NAMESPACES.flatMap((a) => NAMESPACES.map((b) => [a, b] as const))
      // A Hedera account may be written as its EVM address.
      .filter(([a, b]) => a !== b && !(a === 'eip155' && b === 'hedera'));
    const drawn = fc.constantFrom(...pairs).chain(([a, b]) => ACCOUNTS[a].map((account) => [account, b] as const));
    fc.assert(
      fc.property(drawn, ([account, namespace]) => {
        for (const { caip2 } of networksOf(namespace)) expect(isAccount(account, caip2)).toBe(false);
      }),
    );
  });

  it.each([
    ['stellar', 'stellar:pubnet'],
    ['algorand', 'algorand:wGHE2Pwdvd7S12BL5FaOP20EGYesN73k'],
  ] as const)('of %s are invalid with any one character changed', (namespace, network) => {
    const drawn = ACCOUNTS[namespace].chain((account) => mistyped(account, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'));
    fc.assert(
      fc.property(drawn, (account) => {
        expect(isAccount(account, network)).toBe(false);
      }),
      { numRuns: 150 },
    );
  });

  it('of Hedera with a checksum are invalid with any one digit or letter changed', () => {
    const digits = mistyped('123', '0123456789').map((number) => `0.0.${number}-vfmkw`);
    const letters = mistyped('vfmkw', 'abcdefghijklmnopqrstuvwxyz').map((text) => `0.0.123-${text}`);
    fc.assert(
      fc.property(fc.oneof(digits, letters), (account) => {
        expect(isAccount(account, 'hedera:mainnet')).toBe(false);
      }),
    );
  });

  it.each([
    `0x${'0'.repeat(40)}`,
    '0x000000000000000000000000000000000000dEaD',
    '1'.repeat(32),
    `G${'A'.repeat(52)}WHF`,
    `${'A'.repeat(52)}Y5HFKQ`,
    `0x${'0'.repeat(63)}1`,
  ])('without an owner are known: %s', (account) => {
    expect(isUnspendable(account)).toBe(true);
  });

  it('are not checked on networks that only have an x402 draft', () => {
    expect(isUnjudged('near:mainnet')).toBe(true);
    expect(NETWORKS.filter(({ caip2 }) => isUnjudged(caip2))).toEqual([]);
  });
});
