// Valid and invalid options in every order, and every place in a response that can hold a challenge, alone and with others.
import { EXTRAS, FEE_PAYER, GATEWAY, MINTS, OTHER, PAYEE, RESOURCE, SOLANA_PAYEE, TOKENS } from './sound.mjs';

const [[NETWORK, NAME, USDC, name, version]] = TOKENS;
const ON_EVM = { payTo: PAYEE, asset: USDC, maxTimeoutSeconds: 300, extra: { name, version } };
const SECOND = { scheme: 'exact', network: NETWORK, amount: '10000', ...ON_EVM };
const ON_SOLANA = { asset: MINTS[0][2], payTo: SOLANA_PAYEE, extra: { feePayer: FEE_PAYER } };
const { url, ...words } = RESOURCE;
const FIRST = { scheme: 'exact', network: NAME, maxAmountRequired: '10000', resource: url, ...words, ...ON_EVM };
const of = ([network, named, asset, tokenName, tokenVersion], base) => {
  const extra = { name: tokenName, version: tokenVersion };
  return { ...base, network: base === FIRST ? named : network, asset, extra };
};
const scheme = (word) => ({ ...SECOND, scheme: word, extra: { ...SECOND.extra, ...EXTRAS[word]() } });

/** Options for one list: some that every client supports, some that one client selects but cannot sign. */
const OPTIONS = [
  SECOND,
  { ...SECOND, network: 'near:mainnet', asset: 'usdc.near', payTo: 'shop.near' },
  { ...SECOND, scheme: 'deferred' },
  { ...SECOND, extra: {} },
  { ...SECOND, payTo: 'shop.eth' },
  { ...SECOND, extra: { ...SECOND.extra, assetTransferMethod: 'permit2' } },
  { ...SECOND, extra: { ...SECOND.extra, paymentFlow: 'upfront' } },
  { ...SECOND, maxTimeoutSeconds: 604_900, extra: GATEWAY },
  { ...SECOND, extra: { ...GATEWAY, verifyingContract: undefined } },
  of(TOKENS[2], SECOND),
  { ...SECOND, network: MINTS[0][0], ...ON_SOLANA },
  { ...SECOND, network: MINTS[0][0], ...ON_SOLANA, extra: {} },
  ...['upto', 'batch-settlement', 'auth-capture'].map(scheme),
];
const OLD_OPTIONS = [
  FIRST,
  { ...FIRST, network: 'arbitrum' },
  { ...FIRST, network: NETWORK },
  { ...FIRST, extra: {} },
  of(TOKENS[2], FIRST),
  { ...of(TOKENS[2], FIRST), asset: TOKENS[2][2].toLowerCase() },
  { ...FIRST, network: 'solana', ...ON_SOLANA },
  { ...FIRST, network: 'solana', ...ON_SOLANA, extra: {} },
];
const pairs = (list) => list.flatMap((one, i) => list.flatMap((other, j) => (i === j ? [] : [[one, other]])));

const second = (accepts, more) => ({ x402Version: 2, error: 'Payment required', resource: RESOURCE, accepts, ...more });
const first = (accepts, more) => ({ x402Version: 1, error: 'X-PAYMENT header is required', accepts, ...more });
const base64 = (value) => Buffer.from(JSON.stringify(value), 'utf8').toString('base64');
const HEADER = 'payment-required';
const answer = (headers, body) => ({
  status: 402,
  headers,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const inHeader = (challenge, body = '{}') => answer({ [HEADER]: base64(challenge) }, body);

/** Contents of the header, in each encoding. */
function headers() {
  const all = [second([SECOND]), second([{ ...SECOND, extra: {} }]), first([FIRST])].map(base64);
  const wide = base64(second([SECOND], { error: '~~~???ÿÿÿ' }));
  const urlSafe = wide.replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '');
  const forms = [all[0].replace(/=+$/, ''), urlSafe, '', 'none!', base64(null), `"${all[0]}"`, [all[0], all[0]]];
  return [...[...all, ...forms].map((value) => ({ [HEADER]: value })), { 'x-payment-required': all[0] }, {}];
}

const BODIES = [
  '',
  '<html><h1>402</h1></html>',
  first([FIRST]),
  first([{ ...FIRST, payTo: OTHER }]),
  first([{ ...FIRST, extra: {} }]),
  first([FIRST], { error: undefined }),
  second([SECOND]),
  second([{ ...SECOND, amount: '990000' }]),
];

/** Fields around the options that are missing, additional or of another type. */
const AROUND = [
  ...[null, 7, { code: 402 }].map((error) => ({ error })),
  ...[null, {}, [], { bazaar: { info: {}, schema: {} } }].map((extensions) => ({ extensions })),
  ...[
    null,
    {},
    { url: '' },
    { url: '/api/report' },
    { url, tags: 'a' },
    { url, tags: ['a'] },
    { url, mimeType: null },
  ].map((resource) => ({ resource })),
  { accepts: [null, SECOND] },
  { accepts: ['none', SECOND] },
  { accepts: SECOND },
  { payer: PAYEE },
];

const REQUEST = { amount: '20000', currency: '0x20C000000000000000000000b9537d11c60E8b50', recipient: PAYEE };
const payment = (method, request) => {
  const params = { id: 'A'.repeat(43), realm: 'shop.example.com', method, intent: 'charge' };
  const encoded = Buffer.from(JSON.stringify(request), 'utf8').toString('base64url');
  return `Payment ${Object.entries({ ...params, request: encoded })
    .map(([key, value]) => `${key}="${value}"`)
    .join(', ')}`;
};
const PAYMENTS = [
  payment('tempo', REQUEST),
  payment('tempo', { ...REQUEST, amount: '0.02' }),
  payment('xrpl', REQUEST),
  payment('stripe', { amount: '20000', currency: 'usd', methodDetails: {} }),
];

/** Two options in each order, every header with every body, and both protocols in one response. */
export function framedChallenges() {
  const beside = PAYMENTS.flatMap((line) =>
    [second([SECOND]), second([{ ...SECOND, extra: {} }])].map((challenge) =>
      answer({ 'www-authenticate': [line], [HEADER]: base64(challenge) }, '{}'),
    ),
  );
  return [
    ...pairs(OPTIONS).map((accepts) => inHeader(second(accepts))),
    ...pairs(OLD_OPTIONS).map((accepts) => answer({}, first(accepts))),
    ...headers().flatMap((stated) => BODIES.map((body) => answer(stated, body))),
    ...AROUND.map((more) => inHeader(second([SECOND], more))),
    ...pairs(PAYMENTS).map((lines) => answer({ 'www-authenticate': lines }, '')),
    ...beside,
  ];
}
