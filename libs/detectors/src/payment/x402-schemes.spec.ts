import { GATEWAY_WALLETS, namespaceOf, NETWORKS, type Network, type Token } from '@app/networks';
import fc from 'fast-check';
import { ACCOUNTS, type Namespace } from '../../../../test/support/payment-accounts';
import { acceptV1, type Members } from '../../../../test/support/challenges';
import type { JsonObject } from '../formats/json';
import { readAccept } from './x402-accept';
import { adviseUnpayable } from './advice/x402-advice';
import { checkAccept } from './x402-checks';

/** Behaviour 6.1 and 6.5: each scheme on each network that has it, valid and with one invalid field. */
const AT = '2026-11-01T12:00:00Z';
const NOW = Date.parse(AT) / 1_000;
const check = (option: Members) => checkAccept(readAccept(option as JsonObject, 2), AT);

interface Case {
  readonly scheme: string;
  readonly network: Network;
  readonly token: Token;
  readonly option: Members;
  /** Invalid values of each field of `extra`; `undefined` removes it. */
  readonly broken: Readonly<Record<string, readonly unknown[]>>;
}

const ZERO = `0x${'0'.repeat(40)}`;
const NO_ADDRESS = [undefined, null, '', 'shop.eth', 12, ZERO];
const NO_KEY = [undefined, null, '', '0', 'z'.repeat(44), 7];
const LONG_MEMO = ['é'.repeat(129), 7];
const EVM = ACCOUNTS.eip155.filter((account) => !/^0x0{38}/.test(account));
const KEY = ACCOUNTS.solana;
const seconds = (from: number) => fc.integer({ min: NOW + from, max: NOW + from + 100_000 });

/** The transfer method of a token on an EVM network, and its domain if one is signed. */
const domainOf = (token: Token): Members => ({
  name: token.domain?.name ?? 'A Token',
  version: token.domain?.version ?? '1',
  ...(token.permit2Only ? { assetTransferMethod: 'permit2' } : {}),
});

type Extra = readonly [extra: fc.Arbitrary<Members>, broken: Case['broken']];

/** Valid fields of `extra` by scheme and namespace. */
const EXTRAS: Readonly<Record<string, (token: Token) => Extra>> = {
  'exact eip155': (token) => [
    fc
      .record({ paymentFlow: fc.constantFrom('authorization', 'upfront') })
      .map((flow) => ({ ...domainOf(token), ...flow })),
    token.domain ? { name: ['Another'], version: ['9'] } : {},
  ],
  'exact solana': () => [
    fc.record({ feePayer: KEY, memo: fc.string({ maxLength: 60 }) }, { requiredKeys: ['feePayer'] }),
    { feePayer: NO_KEY, memo: LONG_MEMO },
  ],
  'exact stellar': () => [fc.constant({ areFeesSponsored: true }), { areFeesSponsored: [undefined, false, 'true', 1] }],
  'exact algorand': () => [
    fc.record({ feePayer: ACCOUNTS.algorand }, { requiredKeys: [] }),
    { feePayer: ['', 'A'.repeat(58), 3] },
  ],
  'exact aptos': () => [fc.record({ feePayer: ACCOUNTS.aptos }, { requiredKeys: [] }), { feePayer: ['0x1', ZERO] }],
  'exact hedera': () => [
    fc.oneof(
      fc.record(
        { feePayer: ACCOUNTS.hedera, assetTransferMethod: fc.constant('cryptoTransfer') },
        { requiredKeys: ['feePayer'] },
      ),
      fc.constant({ feePayer: '0.0.123', assetTransferMethod: 'transferExecutor' }),
    ),
    { assetTransferMethod: ['permit2', 7] },
  ],
  'upto eip155': () => [
    fc.record(
      { facilitatorAddress: EVM, assetTransferMethod: fc.constant('permit2') },
      { requiredKeys: ['facilitatorAddress'] },
    ),
    { facilitatorAddress: NO_ADDRESS, assetTransferMethod: ['eip3009', 'deposit', 7] },
  ],
  'upto solana': () => [
    fc.record({
      feePayer: KEY,
      receiverAuthorizer: KEY,
      withdrawDelay: fc.integer({ min: 1, max: 1e6 }),
      tokenProgram: PROGRAM,
    }),
    {
      feePayer: NO_KEY,
      receiverAuthorizer: NO_KEY,
      withdrawDelay: [undefined, 0, 1.5, '60'],
      tokenProgram: NO_KEY,
      memo: LONG_MEMO,
    },
  ],
  'batch-settlement eip155': (token) => [
    fc
      .record({ receiverAuthorizer: EVM, withdrawDelay: fc.integer({ min: 900, max: 2_592_000 }) })
      .map((extra) => ({ ...domainOf(token), ...extra })),
    {
      receiverAuthorizer: NO_ADDRESS,
      withdrawDelay: [undefined, 899, 2_592_001, 900.5, '900'],
      assetTransferMethod: ['erc7710', 7],
      name: [undefined, ''],
      version: [undefined, ''],
    },
  ],
  'batch-settlement solana': () => [
    fc.record({
      feePayer: KEY,
      receiverAuthorizer: KEY,
      withdrawDelay: fc.integer({ min: 900, max: 2_592_000 }),
      tokenProgram: PROGRAM,
    }),
    {
      feePayer: NO_KEY,
      receiverAuthorizer: NO_KEY,
      withdrawDelay: [undefined, 60],
      tokenProgram: NO_KEY,
      memo: LONG_MEMO,
      voucherSigner: ['server'],
    },
  ],
  'auth-capture eip155': (token) => [
    fc
      .record({
        captureAuthorizer: EVM,
        feeRecipient: EVM,
        captureDeadline: seconds(60),
        refundDeadline: seconds(200_000),
        minFeeBps: fc.integer({ min: 0, max: 100 }),
        maxFeeBps: fc.integer({ min: 100, max: 10_000 }),
      })
      .map((extra) => ({ ...domainOf(token), ...extra })),
    {
      captureAuthorizer: NO_ADDRESS,
      feeRecipient: [undefined, null, 'shop.eth'],
      captureDeadline: [undefined, '1798761600', 1, NOW, -1, 1.5],
      refundDeadline: [undefined, null, '1798761600', 2 ** 48],
      minFeeBps: [undefined, '0', -1, 10_001],
      maxFeeBps: [undefined, '100', -1, 10_001],
      name: [undefined, ''],
      version: [undefined, ''],
    },
  ],
};
const PROGRAM = fc.constantFrom(
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
);

const tokens = NETWORKS.flatMap((network) => (network.assets ?? []).map((token) => ({ network, token })));
const rows = Object.keys(EXTRAS).flatMap((name) => {
  const [scheme = '', namespace = ''] = name.split(' ');
  return tokens
    .filter(({ network }) => namespaceOf(network.caip2) === namespace && !network.testnet)
    .map(({ network, token }) => ({ scheme, network, token, extraOf: EXTRAS[name]! }));
});

const conforming: fc.Arbitrary<Case> = fc.constantFrom(...rows).chain(({ scheme, network, token, extraOf }) => {
  const [extra, broken] = extraOf(token);
  const namespace = namespaceOf(network.caip2) as Namespace;
  const payTo = ACCOUNTS[namespace].filter((account) => account.toLowerCase() !== token.address.toLowerCase());
  const cents = fc.integer({ min: 1, max: 100_000 });
  return fc.record({ extra, payTo, cents, timeout: fc.integer({ min: 1, max: 3_600 }) }).map((drawn) => ({
    scheme,
    network,
    token,
    broken,
    option: {
      scheme,
      network: network.caip2,
      asset: token.address,
      amount: (BigInt(drawn.cents) * 10n ** BigInt(token.decimals - 2)).toString(),
      payTo: drawn.payTo,
      maxTimeoutSeconds: drawn.timeout,
      extra: drawn.extra,
    },
  }));
});

describe('an option of a scheme on a network that has it', () => {
  it('can be paid in the form of its specification, at the price of the token', () => {
    fc.assert(
      fc.property(conforming, ({ option, token }) => {
        const { reasons, amountUsd, token: known } = check(option);
        expect({ option, reasons }).toEqual({ option, reasons: [] });
        expect(known).toBe(token);
        const cents = BigInt(option['amount'] as string) / 10n ** BigInt(token.decimals - 2);
        expect(amountUsd === null ? null : Number(amountUsd)).toBe(token.dollar ? Number(cents) / 100 : null);
      }),
      { numRuns: 100 },
    );
  });

  it.each(Object.keys(EXTRAS))(
    'of %s cannot be paid with a missing or invalid field of extra, and has a fix for it',
    (name) => {
      const own = conforming.filter(({ scheme, network }) => name === `${scheme} ${namespaceOf(network.caip2)}`);
      fc.assert(
        fc.property(own, ({ option, broken }) => {
          for (const [member, values] of Object.entries(broken)) {
            for (const value of values) {
              const extra = { ...(option['extra'] as Members), [member]: value };
              const accept = readAccept({ ...option, extra } as JsonObject, 2);
              const { reasons } = checkAccept(accept, AT);
              expect({ option, member, value, reasons }).not.toMatchObject({ reasons: [] });
              expect(reasons).not.toContain('scheme_unsupported');
              const { fix } = adviseUnpayable([{ accept, check: checkAccept(accept, AT), clients: [] }]);
              expect(fix).not.toMatch(new RegExp(`\\b(?:${reasons.join('|')})\\b`));
            }
          }
        }),
        { numRuns: 4 },
      );
    },
  );

  it('cannot be paid to an account of another network', () => {
    const misdirected = conforming.chain((drawn) => {
      const own = namespaceOf(drawn.network.caip2);
      const others = (Object.keys(ACCOUNTS) as Namespace[]).filter(
        (other) => other !== own && !(own === 'hedera' && other === 'eip155'),
      );
      return fc.constantFrom(...others).chain((other) => ACCOUNTS[other].map((payTo) => ({ ...drawn.option, payTo })));
    });
    fc.assert(
      fc.property(misdirected, (option) => {
        expect(check(option).reasons).toEqual(['payto_invalid']);
      }),
      { numRuns: 200 },
    );
  });

  it('cannot be paid in the token of another network', () => {
    const elsewhere = conforming.chain((drawn) =>
      fc
        .constantFrom(...tokens)
        .filter(({ token: { address } }) => !drawn.network.assets?.some((own) => own.address === address))
        .map(({ token }) => ({ ...drawn.option, asset: token.address })),
    );
    fc.assert(
      fc.property(elsewhere, (option) => {
        expect(check(option).reasons).toContain('asset_network_mismatch');
      }),
      { numRuns: 200 },
    );
  });

  it('needs a fee payer on Hedera, unless a contract transfers the money', () => {
    const option = { ...acceptOf('exact', {}), network: 'hedera:mainnet', asset: '0.0.0', payTo: '0.0.1234' };
    expect(check(option)).toMatchObject({ reasons: ['fee_payer_missing'], amountUsd: null, members: ['feePayer'] });
    expect(check({ ...option, extra: { assetTransferMethod: 'transferExecutor' } }).reasons).toEqual([]);
    expect(check({ ...option, extra: { feePayer: '0.0.123-esxsf' } }).reasons).toEqual(['fee_payer_missing']);
  });

  it('needs version 2, unless the scheme is exact', () => {
    const option = acceptV1({ scheme: 'upto', extra: { facilitatorAddress: `0x${'34'.repeat(20)}` } });
    expect(checkAccept(readAccept(option as JsonObject, 1), AT).reasons).toContain('scheme_needs_version_2');
  });

  it('states what a payer needs in addition to the money', () => {
    fc.assert(
      fc.property(conforming, ({ option, scheme }) => {
        const due = { 'batch-settlement': ['channel_deposit_needed'], 'auth-capture': ['escrow_client_needed'] }[
          scheme
        ];
        expect(check(option).warnings.filter((warning) => warning.endsWith('_needed'))).toEqual(due ?? []);
      }),
    );
  });
});

describe('a scheme', () => {
  it('is distinguished from an unknown scheme and from a scheme of other networks', () => {
    const option = { ...acceptV1({ amount: '1' }), network: 'eip155:8453' };
    expect(check({ ...option, scheme: 'deferred' }).reasons).toContain('scheme_unsupported');
    expect(check({ ...option, scheme: 'constructor' }).reasons).toContain('scheme_unsupported');
    expect(check({ ...option, scheme: 'auth-capture', network: 'aptos:1' }).reasons).toContain('scheme_not_on_network');
    expect(check({ ...option, scheme: 'upto', network: 'near:mainnet' }).reasons).toContain('scheme_not_on_network');
  });

  it('for capturing warns about deadlines in the wrong order and an unknown escrow', () => {
    const stated = {
      ...{
        name: 'USD Coin',
        version: '2',
        minFeeBps: 0,
        maxFeeBps: 0,
        captureDeadline: NOW + 9,
        refundDeadline: NOW + 8,
      },
      ...{ captureAuthorizer: `0x${'34'.repeat(20)}`, feeRecipient: ZERO, authCaptureEscrow: `0x${'56'.repeat(20)}` },
    };
    const option = acceptOf('auth-capture', stated);
    expect(check(option)).toMatchObject({
      reasons: [],
      warnings: ['escrow_client_needed', 'refund_deadline_early', 'escrow_contract_unknown'],
    });
    for (const authCaptureEscrow of KNOWN_ESCROWS) {
      const known = { ...stated, refundDeadline: NOW + 9, authCaptureEscrow };
      expect(check(acceptOf('auth-capture', known)).warnings).toEqual(['escrow_client_needed']);
    }
  });
});

const KNOWN_ESCROWS = ['0xBdEA0D1bcC5966192B070Fdf62aB4EF5b4420cff', '0xf96815976523E00e65Be8f34cA5e64b4f41EB19c'];
const acceptOf = (scheme: string, extra: Members): Members => ({
  ...{ scheme, network: 'eip155:8453', amount: '20000', asset: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' },
  ...{ payTo: '0x8ba1f109551bD432803012645Ac136ddd64DBA72', maxTimeoutSeconds: 60, extra },
});

describe('an option of Circle Gateway', () => {
  const gateway = fc.record({
    network: fc.constantFrom(...NETWORKS.filter(({ caip2, assets }) => caip2.startsWith('eip155:') && assets)),
    contract: fc.constantFrom(
      GATEWAY_WALLETS.main,
      GATEWAY_WALLETS.test,
      GATEWAY_WALLETS.main.toLowerCase(),
      ZERO,
      undefined,
    ),
    timeout: fc.constantFrom(300, 345_600, 604_900),
  });

  it('is paid through the Circle contract of the network, in its USDC', () => {
    fc.assert(
      fc.property(gateway, ({ network, contract, timeout }) => {
        const usdc = network.assets?.find(({ symbol }) => symbol === 'USDC') ?? network.assets?.[0];
        const extra = { name: 'GatewayWalletBatched', version: '1', verifyingContract: contract };
        const { reasons, warnings } = check({
          ...acceptOf('exact', extra),
          ...{ network: network.caip2, asset: usdc?.address, maxTimeoutSeconds: timeout, amount: '1000' },
        });
        const wallet = network.testnet ? GATEWAY_WALLETS.test : GATEWAY_WALLETS.main;
        const due = contract?.toLowerCase() === wallet.toLowerCase() && network.gateway === true && !network.testnet;
        expect({ reasons, payable: reasons.length === 0 }).toMatchObject({ payable: due });
        expect(reasons.includes('gateway_contract_missing')).toBe(contract === undefined);
        expect(warnings).toEqual(['gateway_deposit_needed', ...(timeout < 345_600 ? ['gateway_timeout_short'] : [])]);
      }),
      { numRuns: 200 },
    );
  });

  it('is refused on a network that Circle does not support, and in a token of another network', () => {
    const extra = { name: 'GatewayWalletBatched', version: '1', verifyingContract: GATEWAY_WALLETS.main };
    const option = {
      ...acceptOf('exact', extra),
      network: 'eip155:42161',
      asset: '0x48065fbBE25f71C9282ddf5e1cD6D6A887483D5e',
    };
    expect(check(option).reasons).toEqual(['asset_network_mismatch']);
    expect(check({ ...option, network: 'eip155:42220' }).reasons).toEqual(['gateway_network_unsupported']);
  });
});
