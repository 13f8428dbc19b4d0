import fc from 'fast-check';
import {
  BASE_USDC,
  authenticates,
  base64url,
  PAYEE,
  paymentAuth,
  TEMPO_REQUEST,
} from '../../../../test/support/challenges';
import { evidence, json, status } from '../../../../test/support/evidence';
import { mppChallenges } from './mpp-challenge';
import { checkMpp } from './mpp-checks';

const read = (...lines: readonly string[]) => mppChallenges(evidence({ '/api/report': authenticates(...lines) }));
const check = (request: unknown, more: Readonly<Record<string, string | undefined>> = {}) =>
  checkMpp(read(paymentAuth(request, more))[0]!);
const tempo = (more: Readonly<Record<string, unknown>>) => check({ ...TEMPO_REQUEST, ...more });

const SOLANA = {
  amount: '5000000',
  currency: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  recipient: '9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM',
  methodDetails: { network: 'mainnet-beta' },
};
const STRIPE = {
  amount: '3500',
  currency: 'usd',
  methodDetails: { networkId: 'acct_1', paymentMethodTypes: ['card'] },
};
const LIGHTNING = { amount: '100', currency: 'sat', methodDetails: { invoice: 'lnbc1u1', network: 'mainnet' } };
const EVM = {
  amount: '1000000000000000000',
  currency: '0xFAfDdbb3FC7688494971a79cc65DCa3EF82079E7',
  recipient: PAYEE,
  methodDetails: { chainId: 4326 },
};

describe('mppChallenges', () => {
  it('reads several Payment challenges among other schemes, in one line and in several', () => {
    const other = paymentAuth(STRIPE, { method: 'stripe', id: 'ch_2' });
    expect(
      read(`Bearer realm="a", ${paymentAuth()}, ${other}`, 'Basic realm="Payment, please"').map(({ method }) => method),
    ).toEqual(['tempo', 'stripe']);
  });

  it('ignores the word Payment in a quoted description', () => {
    expect(read(paymentAuth(TEMPO_REQUEST, { description: 'one, Payment id=2' }))).toHaveLength(1);
  });

  it.each(['id', 'realm', 'method', 'intent', 'request'])('reports a missing %s', (name) => {
    expect(read(paymentAuth(TEMPO_REQUEST, { [name]: undefined }))[0]?.faults).toEqual([`mpp_${name}_missing`]);
  });

  it('reports a challenge without any mandatory parameter as malformed', () => {
    expect(read('Payment amount=0.02 currency=pathUSD')[0]).toMatchObject({
      faults: ['mpp_challenge_malformed'],
      warnings: ['mpp_challenge_syntax'],
    });
  });

  it('tolerates padding, and reports an undecodable request', () => {
    const padded = `${base64url({ ...TEMPO_REQUEST, memo: 'x' })}=`.replace(/=+$/, '=');
    expect(read(paymentAuth(TEMPO_REQUEST, { request: padded }))[0]).toMatchObject({
      faults: [],
      warnings: ['mpp_request_padded'],
    });
    expect(read(paymentAuth(TEMPO_REQUEST, { request: 'bm8ganNvbg' }))[0]?.faults).toEqual(['mpp_request_undecodable']);
  });

  it('reports an amount that is a number', () => {
    const warnings = ['mpp_amount_not_a_string'];
    expect(read(paymentAuth({ ...TEMPO_REQUEST, amount: 20_000 }))[0]).toMatchObject({ warnings });
    expect(read(paymentAuth(TEMPO_REQUEST))[0]).toMatchObject({ warnings: [] });
  });

  it('reads parameters of any case, and a header for the credential', () => {
    const line = paymentAuth(TEMPO_REQUEST, { header: 'Payment-Authorization' }).replace(
      /(\w+)="/g,
      (name) => name.charAt(0).toUpperCase() + name.slice(1),
    );
    expect(line).toContain('Realm="');
    expect(read(line)).toMatchObject([{ method: 'tempo', faults: [], warnings: [] }]);
  });

  it.each([
    ['mpp_challenge_broken', 'Payment id="a", id="b"'],
    ['mpp_challenge_broken', `${paymentAuth()}, description="open`],
    ['mpp_method_invalid', paymentAuth(TEMPO_REQUEST, { method: 'Tempo' })],
    ['mpp_expires_invalid', paymentAuth(TEMPO_REQUEST, { expires: 'soon' })],
    ['mpp_expires_invalid', paymentAuth(TEMPO_REQUEST, { expires: '2030-01-01' })],
    ['mpp_digest_invalid', paymentAuth(TEMPO_REQUEST, { digest: 'md5=abc' })],
    ['mpp_header_invalid', paymentAuth(TEMPO_REQUEST, { header: 'Payment Authorization' })],
    ['mpp_request_too_long', paymentAuth({ ...TEMPO_REQUEST, memo: 'x'.repeat(16_384) })],
    ['mpp_id_missing', paymentAuth(TEMPO_REQUEST, { id: '' })],
  ])("reports what the client's parser rejects: %s", (fault, line) => {
    expect(read(line)[0]?.faults).toContain(fault);
  });

  it('finds a challenge in a 401, which clients ignore', () => {
    const seen = evidence({ '/api/report': { ...authenticates(), status: 401 } });
    expect(mppChallenges(seen)[0]?.faults).toEqual(['mpp_status_not_402']);
  });

  it('reads challenges of the MCP transport, where the request is an object', () => {
    const challenge = {
      id: 'ch_1',
      realm: 'shop.example.com',
      method: 'tempo',
      intent: 'charge',
      request: TEMPO_REQUEST,
    };
    const error = { code: -32042, message: 'Payment Required', data: { httpStatus: 402, challenges: [challenge] } };
    const seen = (code: number) =>
      evidence({ 'POST /mcp {}': json({ jsonrpc: '2.0', id: 1, error: { ...error, code } }) });
    expect(mppChallenges(seen(-32042))).toMatchObject([{ method: 'tempo', faults: [] }]);
    expect(mppChallenges(seen(-32600))).toEqual([]);
  });

  it('finds none in other schemes and other statuses', () => {
    expect(read('L402 macaroon="a", invoice="b"', 'Bearer realm="x402"')).toEqual([]);
    const seen = evidence({ '/api/report': status(200, { headers: { 'www-authenticate': paymentAuth() } }) });
    expect(mppChallenges(seen)).toEqual([]);
  });
});

describe('checkMpp', () => {
  it.each([
    ['tempo', 'eip155:4217', '0.02', TEMPO_REQUEST],
    ['solana', 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', '5', SOLANA],
    ['stripe', undefined, '35', STRIPE],
    ['lightning', 'lightning:mainnet', null, LIGHTNING],
    ['evm', 'eip155:4326', '1', EVM],
    [
      'card',
      undefined,
      '35',
      { ...STRIPE, recipient: 'm_1', methodDetails: { acceptedNetworks: ['visa'], encryptionJwk: { kty: 'RSA' } } },
    ],
  ])('finds no fault in a valid %s charge', (method, networkId, amountUsd, request) => {
    const checked = check(request, { method });
    expect(checked).toMatchObject({ reasons: [], amountUsd });
    expect(checked.terms?.networkId ?? undefined).toBe(networkId);
  });

  it.each([
    ['network_testnet', tempo({ methodDetails: undefined })],
    ['network_unknown', tempo({ methodDetails: { chainId: 999_999 } })],
    ['network_unknown', check({ ...SOLANA, methodDetails: { network: 'localnet' } }, { method: 'solana' })],
    ['asset_unknown', tempo({ currency: `0x${'12'.repeat(20)}` })],
    ['mpp_currency_missing', tempo({ currency: undefined })],
    ['mpp_recipient_invalid', tempo({ recipient: 'shop' })],
    ['amount_zero', tempo({ amount: '0' })],
    ['amount_invalid', tempo({ amount: '0.02' })],
    ['price_implausible', tempo({ amount: '20000000000000000' })],
    ['mpp_chain_missing', check({ ...EVM, methodDetails: {} }, { method: 'evm' })],
    ['mpp_recipient_invalid', check({ ...SOLANA, recipient: PAYEE }, { method: 'solana' })],
    [
      'mpp_details_missing',
      check({ ...STRIPE, methodDetails: { networkId: 'acct_1', paymentMethodTypes: [] } }, { method: 'stripe' }),
    ],
    ['mpp_currency_unexpected', check({ ...LIGHTNING, currency: 'BTC' }, { method: 'lightning' })],
    ['asset_unknown', check({ amount: '1', currency: 'nep141:wrap.near' }, { method: 'nearintents' })],
    ['method_unsupported', check(TEMPO_REQUEST, { method: 'invoice' })],
    ['method_unsupported', check(TEMPO_REQUEST, { method: 'constructor' })],
    ['intent_unknown', check(TEMPO_REQUEST, { intent: 'donate' })],
    ['mpp_expired', check(TEMPO_REQUEST, { expires: '2026-11-01T11:58:59Z' })],
  ])('gives %s', (reason, checked) => {
    expect(checked.reasons[0]).toBe(reason);
  });

  it('allows a minute of clock skew', () => {
    expect(check(TEMPO_REQUEST, { expires: '2026-11-01T11:59:30Z' }).reasons).toEqual([]);
  });

  it('has no dollar price for yen, SOL and sessions priced per unit', () => {
    expect(check({ ...STRIPE, currency: 'jpy' }, { method: 'stripe' })).toMatchObject({ reasons: [], amountUsd: null });
    expect(check({ ...SOLANA, currency: 'sol' }, { method: 'solana' })).toMatchObject({ reasons: [], amountUsd: null });
    expect(check(TEMPO_REQUEST, { intent: 'session' })).toMatchObject({ reasons: [], amountUsd: null });
  });
});

/** A charge of the method usdc in each of its profiles, with its possible faults. */
const usdcCharge = fc.record({
  type: fc.constantFrom('evm', 'gateway', 'solana', 'stacks', 'card', undefined),
  nested: fc.boolean(),
  chain: fc.constantFrom('main', 'test', 'unknown', 'none'),
  currency: fc.constantFrom('own', 'of the testnet', 'other', 'none'),
  recipient: fc.constantFrom('good', 'burn', 'zero', 'malformed', 'none'),
});
type UsdcCharge = typeof usdcCharge extends fc.Arbitrary<infer Charge> ? Charge : never;

const EVM_RECIPIENTS = {
  good: PAYEE,
  burn: `0x${'0'.repeat(36)}dEaD`,
  zero: `0x${'0'.repeat(40)}`,
  malformed: 'shop.eth',
};
const USDC_CHAINS = {
  evm: {
    main: { chainId: 8453 },
    test: { chainId: 84532 },
    unknown: { chainId: 987_654 },
    currency: {
      own: BASE_USDC,
      'of the testnet': '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
      other: `0x${'12'.repeat(20)}`,
    },
    recipients: EVM_RECIPIENTS,
  },
  gateway: {
    main: { acceptedSources: ['eip155:1'], destinationNetwork: 'eip155:8453', maxFee: '1' },
    test: { acceptedSources: ['eip155:84532'], destinationNetwork: 'eip155:84532', maxFee: '1' },
    unknown: { acceptedSources: [], destinationNetwork: 'eip155:987654', maxFee: '1' },
    currency: { own: 'usdc', 'of the testnet': '0x036CbD53842c5426634e7929541eC2318f3dCF7e', other: 'eurc' },
    recipients: EVM_RECIPIENTS,
  },
  solana: {
    main: { network: 'mainnet' },
    test: { network: 'devnet' },
    unknown: { network: 'localnet' },
    currency: { own: SOLANA.currency, 'of the testnet': '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU', other: 'sol' },
    recipients: {
      good: SOLANA.recipient,
      burn: `1nc1nerator${'1'.repeat(32)}`,
      zero: '1'.repeat(32),
      malformed: 'shop.sol',
    },
  },
} as const;

describe('a charge of the method usdc', () => {
  const requestOf = ({ type, nested, chain, currency, recipient }: UsdcCharge) => {
    const terms = type === 'solana' || type === 'gateway' ? USDC_CHAINS[type] : USDC_CHAINS.evm;
    const profile = chain === 'none' ? {} : terms[chain];
    return {
      amount: '20000',
      ...(currency === 'none' ? {} : { currency: terms.currency[currency] }),
      ...(recipient === 'none' ? {} : { recipient: terms.recipients[recipient] }),
      methodDetails: { type, ...(nested && type !== undefined ? { [type]: profile } : profile) },
    };
  };

  it('can only be paid on a mainnet in its own USDC to an address with an owner', () => {
    fc.assert(
      fc.property(usdcCharge, (charge) => {
        const checked = check(requestOf(charge), { method: 'usdc' });
        const { type, chain, currency, recipient } = charge;
        const known = type === 'evm' || type === 'gateway' || type === 'solana';
        const sound = known && chain === 'main' && currency === 'own' && recipient === 'good';
        expect(checked.reasons.length === 0).toBe(sound);
        if (sound) expect(checked).toMatchObject({ amountUsd: '0.02', terms: { network: { testnet: false } } });
      }),
      { numRuns: 400 },
    );
  });

  it('reports a test network', () => {
    const charge = { type: 'evm', nested: true, chain: 'test', currency: 'of the testnet', recipient: 'good' } as const;
    expect(check(requestOf(charge), { method: 'usdc' })).toMatchObject({
      reasons: ['network_testnet'],
      terms: { networkId: 'eip155:84532', symbol: 'USDC' },
    });
  });
});

describe('a recipient whose money cannot be spent', () => {
  it.each([`0x${'0'.repeat(40)}`, `0x${'0'.repeat(36)}dEaD`, `0x${'0'.repeat(39)}1`, `0x${'dead'.repeat(10)}`])(
    'is a reason for %s with any method',
    (recipient) => {
      expect(tempo({ recipient }).reasons).toEqual(['mpp_recipient_unspendable']);
      expect(check({ ...EVM, recipient }, { method: 'evm' }).reasons).toEqual(['mpp_recipient_unspendable']);
    },
  );
});
