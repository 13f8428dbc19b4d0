import fc from 'fast-check';
import { ACCOUNTS } from '../../../../test/support/payment-accounts';
import { authenticates, paymentAuth, type Members } from '../../../../test/support/challenges';
import { evidence } from '../../../../test/support/evidence';
import { runDetector } from '../run-detector';
import { mpp } from '../mpp/mpp.detector';
import { mppChallenges } from './mpp-challenge';
import { checkMpp } from './mpp-checks';

/** Behaviour 6.6: charges of each method, valid and with one invalid field. */
interface Method {
  readonly request: fc.Arbitrary<Members>;
  /** Invalid values of fields, by their path in the request; `undefined` removes the field. */
  readonly broken: Readonly<Record<string, readonly unknown[]>>;
}

const amount = fc.integer({ min: 1, max: 900_000 }).map(String);
const EVM = ACCOUNTS.eip155.filter((account) => !/^0x0{38}/.test(account));
const TEMPO_USD = '0x20C000000000000000000000b9537d11c60E8b50';
const NO_AMOUNT = [undefined, '0', '-1', '1.5', '0x1', null];
const share = (recipient: string, value = '1') => ({ recipient, amount: value });
const shares = (account: fc.Arbitrary<string>, max: number) =>
  fc.array(account, { minLength: 1, maxLength: max }).map((accounts) => accounts.map((one) => share(one)));

const METHODS: Readonly<Record<string, Method>> = {
  tempo: {
    request: fc.record({
      amount: fc.integer({ min: 11, max: 900_000 }).map(String),
      currency: fc.constant(TEMPO_USD),
      recipient: EVM,
      methodDetails: fc.record({ chainId: fc.constant(4217), splits: shares(EVM, 10) }, { requiredKeys: ['chainId'] }),
    }),
    broken: {
      amount: NO_AMOUNT,
      currency: [undefined, '', 'USDC', `0x${'12'.repeat(20)}`],
      recipient: [undefined, 'shop.eth', '0.0.123', TEMPO_USD],
      'methodDetails.chainId': [undefined, 42_431, '4217', 0],
      'methodDetails.splits': [
        [],
        'all',
        [share('shop')],
        [share(TEMPO_USD, '0')],
        [share(TEMPO_USD, '9999999')],
        [{}],
      ],
    },
  },
  evm: {
    request: fc.record({
      amount,
      currency: fc.constant('0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'),
      recipient: EVM,
      methodDetails: fc.record(
        { chainId: fc.constant(8453), credentialTypes: fc.constant(['authorization']) },
        { requiredKeys: ['chainId'] },
      ),
    }),
    broken: {
      amount: NO_AMOUNT,
      currency: [undefined, 'usdc', '0x036CbD53842c5426634e7929541eC2318f3dCF7e'],
      recipient: [undefined, 'shop.eth'],
      'methodDetails.chainId': [undefined, 84_532, 999_999],
      'methodDetails.credentialTypes': [[], ['card'], 'authorization'],
    },
  },
  solana: {
    request: fc.record({
      amount,
      currency: fc.constantFrom('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 'sol'),
      recipient: ACCOUNTS.solana,
      methodDetails: fc.constantFrom({ network: 'mainnet' }, { network: 'mainnet-beta' }, {}),
    }),
    broken: {
      amount: NO_AMOUNT,
      currency: [undefined, 'SOLANA', TEMPO_USD],
      recipient: [undefined, TEMPO_USD, '1'.repeat(32)],
      'methodDetails.network': ['devnet', 'localnet'],
    },
  },
  stellar: {
    request: fc.record({
      amount,
      currency: fc.constant('CCW67TSZV3SSS2HXMBQ5JFGCKJNXKZM7UQUWUZPUTHXSTZLEO7SJMI75'),
      recipient: ACCOUNTS.stellar,
      methodDetails: fc.record(
        { network: fc.constant('stellar:pubnet'), feePayer: fc.boolean() },
        { requiredKeys: ['network'] },
      ),
    }),
    broken: {
      amount: NO_AMOUNT,
      currency: [
        undefined,
        'USDC',
        'CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4W',
        'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ',
      ],
      recipient: [undefined, 'GBHEGW3KWOY2OFH767EDALFGCUTBOEVBDQMCKU', TEMPO_USD],
      'methodDetails.network': [undefined, 'stellar:testnet', 'pubnet', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp'],
      'methodDetails.feePayer': ['yes', 1],
    },
  },
  hedera: {
    request: fc.record({
      amount: fc.integer({ min: 10, max: 900_000 }).map(String),
      currency: fc.constant('0.0.456858'),
      recipient: ACCOUNTS.hedera,
      methodDetails: fc.record(
        { chainId: fc.constant(295), splits: shares(ACCOUNTS.hedera, 9) },
        { requiredKeys: ['chainId'] },
      ),
    }),
    broken: {
      amount: NO_AMOUNT,
      currency: [undefined, 'HBAR', '0.0.429274', '456858'],
      recipient: [undefined, TEMPO_USD, '0.0.0', '12345'],
      'methodDetails.chainId': [undefined, 296, 297, '295'],
      'methodDetails.splits': [Array.from({ length: 10 }, () => share('0.0.9')), [share(TEMPO_USD.slice(2))], []],
    },
  },
  stripe: {
    request: fc.record({
      amount,
      currency: fc.constantFrom('usd', 'eur', 'jpy'),
      methodDetails: fc.constant({ networkId: 'acct_1', paymentMethodTypes: ['card', 'link'] }),
    }),
    broken: {
      amount: NO_AMOUNT,
      currency: [undefined, 'USDC', '$'],
      'methodDetails.networkId': [undefined, '', 7],
      'methodDetails.paymentMethodTypes': [undefined, [], 'card', [1]],
    },
  },
  lightning: {
    request: fc.record({
      amount,
      currency: fc.constant('sat'),
      methodDetails: fc.constantFrom({ invoice: 'lnbc1u1pj', network: 'mainnet' }, { invoice: 'LNBC20M1PVJ' }),
    }),
    broken: {
      amount: NO_AMOUNT,
      currency: [undefined, 'BTC', 'usd'],
      'methodDetails.invoice': [undefined, '', 'pay me', 'lntb1u1pj'],
      'methodDetails.network': ['testnet', 'regtest'],
    },
  },
};

const charge = fc
  .constantFrom(...Object.keys(METHODS))
  .chain((method) => METHODS[method]!.request.map((request) => ({ method, request })));
function changed(holder: Members, [name = '', ...rest]: readonly string[], value: unknown): Members {
  const own = holder[name];
  return { ...holder, [name]: rest.length === 0 ? value : changed((own ?? {}) as Members, rest, value) };
}

const seenOf = (method: string, request: Members, more: Readonly<Record<string, string>> = {}) =>
  evidence({ '/': authenticates(paymentAuth(request, { method, ...more })) });
const check = (...args: Parameters<typeof seenOf>) => checkMpp(mppChallenges(seenOf(...args))[0]!);

/** x402 terms that must not occur in advice for MPP. */
const OF_X402 = /\bextra\.|PAYMENT-REQUIRED|\bpayTo\b|\baccepts\b|version [12]\b|x402/;

describe('a charge of MPP', () => {
  it('can be paid in the form of its method draft', () => {
    fc.assert(
      fc.property(charge, ({ method, request }) => {
        expect({ method, request, reasons: check(method, request).reasons }).toMatchObject({ reasons: [] });
        for (const { fix } of runDetector(mpp, seenOf(method, request)).fixes) expect(fix).not.toMatch(OF_X402);
      }),
      { numRuns: 150 },
    );
  });

  it.each(Object.keys(METHODS))(
    'of %s cannot be paid with a missing or invalid field, is still present, and has a fix',
    (method) => {
      const { request: whole, broken } = METHODS[method]!;
      const faults = Object.entries(broken).flatMap(([at, values]) => values.map((value) => ({ at, value })));
      fc.assert(
        fc.property(whole, (request) => {
          for (const { at, value } of faults) {
            const faulty = changed(request, at.split('.'), value);
            const { reasons } = check(method, faulty);
            expect({ at, value, reasons }).not.toMatchObject({ reasons: [] });
            const { cell, fixes } = runDetector(mpp, seenOf(method, faulty));
            expect(cell.status).toBe(reasons.includes('mpp_currency_unexpected') ? 'partial' : 'present');
            const ids = (cell.details['findings'] as readonly { id: string }[]).map(({ id }) => id);
            expect(ids).toEqual(expect.arrayContaining([...reasons]));
            expect(fixes[0]?.fix).not.toMatch(OF_X402);
            expect(fixes[0]?.fix.replace(/"[^"]*"/g, '')).not.toMatch(/\b(?:mpp|network|asset|amount)_[a-z_]+/);
          }
        }),
        { numRuns: 4 },
      );
    },
  );

  it('reports a truncated currency and account', () => {
    const cut = {
      amount: '5',
      currency: 'CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4W',
      recipient: 'GBHEGW3KWOY2OFH767EDALFGCUTBOE',
    };
    expect(check('stellar', { ...cut, methodDetails: { network: 'stellar:pubnet' } }).reasons).toEqual([
      ...['mpp_recipient_invalid', 'mpp_currency_invalid', 'asset_unknown'],
    ]);
    const hedera = { amount: '5', currency: 'USDC', recipient: '0.0.9', methodDetails: { chainId: 295 } };
    expect(check('hedera', hedera).reasons).toEqual(['mpp_currency_invalid', 'asset_unknown']);
  });

  it.each([
    ['nearintents', {}, 'mpp_currency_missing'],
    [
      'card',
      { currency: 'usd', methodDetails: { acceptedNetworks: ['visa'], encryptionJwk: {} } },
      'mpp_recipient_missing',
    ],
    ['usdc', { methodDetails: { type: 'stacks' } }, 'mpp_currency_missing'],
    ['usdc', { methodDetails: { type: 'stacks' } }, 'mpp_recipient_invalid'],
    ['usdc', { methodDetails: { type: 'stacks' } }, 'mpp_chain_missing'],
    ['usdc', { methodDetails: { type: 'gateway' } }, 'mpp_currency_missing'],
  ])('of %s with %j lacks something: %s', (method, request, reason) => {
    expect(check(method, { amount: '5', ...request }).reasons).toContain(reason);
  });

  it('of a subscription states its period', () => {
    const request = {
      amount: '5',
      currency: TEMPO_USD,
      recipient: `0x${'34'.repeat(20)}`,
      methodDetails: { chainId: 4217 },
    };
    const period = { periodCount: '1', periodUnit: 'week' };
    const reasonsOf = (more: Members) => check('tempo', { ...request, ...more }, { intent: 'subscription' }).reasons;
    expect(reasonsOf(period)).toEqual([]);
    for (const lack of [{}, { ...period, periodCount: '0' }, { ...period, periodUnit: '' }]) {
      expect(reasonsOf(lack)).toEqual(['mpp_period_missing']);
    }
  });

  it('has network, token and dollars for the rarer methods', () => {
    const hedera = {
      amount: '1000000',
      currency: '0.0.456858',
      recipient: '0.0.12345',
      methodDetails: { chainId: 295 },
    };
    expect(check('hedera', hedera)).toMatchObject({
      amountUsd: '1',
      terms: { networkId: 'hedera:mainnet', symbol: 'USDC' },
    });
    const currency = 'CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA';
    const recipient = 'GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ';
    const stellar = { amount: '10000000', currency, recipient, methodDetails: { network: 'stellar:testnet' } };
    expect(check('stellar', stellar)).toMatchObject({ amountUsd: '1', reasons: ['network_testnet'] });
    expect(check('stellar', { ...stellar, methodDetails: {} }).reasons).toContain('network_missing');
  });
});
