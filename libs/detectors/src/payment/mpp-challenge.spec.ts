import { authenticates, base64url, PAYEE, paymentAuth, TEMPO_REQUEST } from '../../../../test/support/challenges';
import { evidence, json, status } from '../../../../test/support/evidence';
import { checkMpp } from './mpp-checks';
import { mppChallenges } from './mpp-challenge';

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

  it('does not start a challenge at the word Payment in a quoted description', () => {
    expect(read(paymentAuth(TEMPO_REQUEST, { description: 'one, Payment id=2' }))).toHaveLength(1);
  });

  it.each(['id', 'realm', 'method', 'intent', 'request'])('names a missing %s', (name) => {
    expect(read(paymentAuth(TEMPO_REQUEST, { [name]: undefined }))[0]?.faults).toEqual([`mpp_${name}_missing`]);
  });

  it('calls a challenge without any mandatory parameter malformed', () => {
    expect(read('Payment amount=0.02 currency=pathUSD')[0]).toMatchObject({
      faults: ['mpp_challenge_malformed'],
      warnings: ['mpp_challenge_syntax'],
    });
  });

  it('tolerates padding, and names a request that does not decode', () => {
    const padded = `${base64url({ ...TEMPO_REQUEST, memo: 'x' })}=`.replace(/=+$/, '=');
    expect(read(paymentAuth(TEMPO_REQUEST, { request: padded }))[0]).toMatchObject({
      faults: [],
      warnings: ['mpp_request_padded'],
    });
    expect(read(paymentAuth(TEMPO_REQUEST, { request: 'bm8ganNvbg' }))[0]?.faults).toEqual(['mpp_request_undecodable']);
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

  it('sees none in other schemes and other statuses', () => {
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
    ['usdc', undefined, '0.02', { amount: '20000', methodDetails: { gateway: {} } }],
  ])('finds no fault in a healthy %s charge', (method, networkId, amountUsd, request) => {
    const checked = check(request, { method });
    expect(checked).toMatchObject({ reasons: [], amountUsd });
    expect(checked.terms?.networkId ?? undefined).toBe(networkId);
  });

  it.each([
    ['network_testnet', tempo({ methodDetails: undefined })],
    ['network_unknown', tempo({ methodDetails: { chainId: 999_999 } })],
    ['network_unknown', check({ ...SOLANA, methodDetails: { network: 'localnet' } }, { method: 'solana' })],
    ['asset_unknown', tempo({ currency: PAYEE })],
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

  it('allows a minute of clock skew and takes an unreadable time for none', () => {
    expect(check(TEMPO_REQUEST, { expires: '2026-11-01T11:59:30Z' }).reasons).toEqual([]);
    expect(check(TEMPO_REQUEST, { expires: 'soon' }).reasons).toEqual([]);
  });

  it('states no dollars for yen, for SOL and for a session priced per unit', () => {
    expect(check({ ...STRIPE, currency: 'jpy' }, { method: 'stripe' })).toMatchObject({ reasons: [], amountUsd: null });
    expect(check({ ...SOLANA, currency: 'sol' }, { method: 'solana' })).toMatchObject({ reasons: [], amountUsd: null });
    expect(check(TEMPO_REQUEST, { intent: 'session' })).toMatchObject({ reasons: [], amountUsd: null });
  });
});
