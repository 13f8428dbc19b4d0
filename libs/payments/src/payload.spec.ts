import fc from 'fast-check';
import { challengeFor, MAX_TIMEOUT_SEC, requirementFor } from './challenge';
import type { Offer } from './offer';
import { matchPayload, validityFault } from './match-payload';
import { MAX_HEADER_CHARS, readPaymentHeader, withIdempotencyKey, type ReadPayload } from './payload';
import { offerOf } from '../../../test/support/offers';

const TERMS = { network: 'eip155:8453', payTo: '0x1111111111111111111111111111111111111111' } as const;
const NOW = new Date('2026-11-01T12:00:00Z');
const nowSec = NOW.getTime() / 1_000;
const OFFER = offerOf({
  method: 'GET',
  resource: 'https://probe.example.com/api/v1/hosts/shop.example.com/refresh',
  route: { path: '/api/v1/hosts/:domain/refresh', answer: { domain: 'shop.example.com' } },
});
const REQUIREMENT = requirementFor(OFFER, TERMS);

const authorization = {
  from: '0x2222222222222222222222222222222222222222',
  to: TERMS.payTo,
  value: '20000',
  validAfter: '0',
  validBefore: String(nowSec + MAX_TIMEOUT_SEC),
  nonce: `0x${'ab'.repeat(32)}`,
};
const PAYMENT = {
  x402Version: 2,
  payload: { signature: `0x${'cd'.repeat(65)}`, authorization },
  resource: { url: OFFER.resource },
  accepted: REQUIREMENT,
};
const header = (payment: unknown): string => Buffer.from(JSON.stringify(payment)).toString('base64');

function payloadOf(payment: unknown): ReadPayload {
  const { x402Version } = payment as { x402Version?: unknown };
  const reading = readPaymentHeader(header(payment), x402Version === 1 ? 1 : 2);
  if (!reading.ok) throw new Error(reading.error);
  return reading.payload;
}
const match = (payment: unknown, forOffer: Offer = OFFER) => matchPayload(payloadOf(payment), forOffer, TERMS, NOW);

describe('readPaymentHeader', () => {
  it('reads a version 2 payment', () => {
    expect(payloadOf(PAYMENT)).toMatchObject({
      version: 2,
      scheme: 'exact',
      network: 'eip155:8453',
      resource: OFFER.resource,
    });
  });

  it('reads a version 1 payment, which contains neither terms nor resource', () => {
    const payload = payloadOf({ x402Version: 1, scheme: 'exact', network: 'base', payload: PAYMENT.payload });
    expect(payload).toMatchObject({ version: 1, network: 'base' });
    expect(payload.accepted).toBeUndefined();
  });

  it.each([
    ['not base64', '%%%'],
    ['base64url', Buffer.from(JSON.stringify({ ...PAYMENT, pad: '>>>???' })).toString('base64url') + '-_'],
    ['not JSON', Buffer.from('hello').toString('base64')],
  ])('cannot read %s', (_, text) => {
    expect(readPaymentHeader(text, 2)).toMatchObject({ ok: false, code: 'payment_malformed' });
  });

  it.each([
    ['a number', header(7)],
    ['null', header(null)],
    ['an empty payload', header({ ...PAYMENT, payload: {} })],
    ['no authorization', header({ ...PAYMENT, payload: { signature: '0xab', authorization: null } })],
    [
      'a value that is not a number',
      header({ ...PAYMENT, payload: { ...PAYMENT.payload, authorization: { ...authorization, value: '1e3' } } }),
    ],
    ['version 3', header({ ...PAYMENT, x402Version: 3 })],
    ['an odd number of signature digits', header({ ...PAYMENT, payload: { ...PAYMENT.payload, signature: '0xabc' } })],
  ])('refuses %s with a reason', (_, text) => {
    expect(readPaymentHeader(text, 2)).toMatchObject({ ok: false, code: 'payment_invalid' });
  });

  it('refuses a payment in the header of the other version', () => {
    const first = { x402Version: 1, scheme: 'exact', network: 'base', payload: PAYMENT.payload };
    for (const [payment, version] of [
      [PAYMENT, 1],
      [first, 2],
    ] as const) {
      expect(readPaymentHeader(header(payment), version)).toMatchObject({ ok: false, code: 'payment_malformed' });
      expect(readPaymentHeader(header(payment), version === 1 ? 2 : 1)).toMatchObject({ ok: true });
    }
  });

  it('refuses Permit2 and says what to sign instead', () => {
    const payload = { signature: '0xab', permit2Authorization: { from: authorization.from } };
    expect(readPaymentHeader(header({ ...PAYMENT, payload }), 2)).toMatchObject({
      ok: false,
      code: 'transfer_method_unsupported',
      error: expect.stringContaining('EIP-3009'),
    });
  });

  it("reads the payer's identifier of the purchase", () => {
    const named = (id: unknown) => ({
      ...PAYMENT,
      extensions: { 'payment-identifier': { info: { required: false, id }, schema: {} } },
    });
    expect(payloadOf(named('order_2026_11_01-0001')).identifier).toBe('order_2026_11_01-0001');
    expect(payloadOf(PAYMENT).identifier).toBeUndefined();
    for (const id of ['too-short', 'x'.repeat(129), 'no spaces allowed', 7, null]) {
      expect(readPaymentHeader(header(named(id)), 2)).toMatchObject({ ok: false, code: 'payment_identifier_invalid' });
    }
  });

  it('uses an Idempotency-Key as the identifier, with or without quotes, unless the payment has one', () => {
    const keyed = (key: string) => withIdempotencyKey(readPaymentHeader(header(PAYMENT), 2), key);
    expect(keyed('"8e03978e-40d5"')).toMatchObject({ ok: true, payload: { identifier: '8e03978e-40d5' } });
    expect(keyed('8e03978e-40d5')).toMatchObject({ ok: true, payload: { identifier: '8e03978e-40d5' } });
    expect(keyed('""')).toMatchObject({ ok: false, code: 'payment_identifier_invalid' });
    expect(keyed('x'.repeat(256))).toMatchObject({ ok: false, code: 'payment_identifier_invalid' });
    const both = { ...PAYMENT, extensions: { 'payment-identifier': { info: { id: 'order_2026_11_01' } } } };
    expect(withIdempotencyKey(readPaymentHeader(header(both), 2), 'other')).toMatchObject({
      payload: { identifier: 'order_2026_11_01' },
    });
  });

  it('refuses a header longer than the cap before decoding it', () => {
    expect(readPaymentHeader('A'.repeat(MAX_HEADER_CHARS + 1), 2)).toMatchObject({
      ok: false,
      code: 'payment_header_too_large',
    });
  });

  it('reads every spelling of one payment the same way', () => {
    const zeros = fc.integer({ min: 0, max: 2 }).map((many) => '0'.repeat(many));
    const spelled = fc.record({ value: zeros, validAfter: zeros, validBefore: zeros, upper: fc.boolean() });
    fc.assert(
      fc.property(spelled, ({ upper, ...before }) => {
        const cased = (hex: string): string => (upper ? `0x${hex.slice(2).toUpperCase()}` : hex);
        const { from, to, nonce } = authorization;
        const numbers = Object.entries(before).map(([name, zero]) => [name, zero + authorization[name as 'value']]);
        const spelling = { from: cased(from), to: cased(to), nonce: cased(nonce), ...Object.fromEntries(numbers) };
        const read = payloadOf({ ...PAYMENT, payload: { ...PAYMENT.payload, authorization: spelling } });
        expect(read.digest).toBe(payloadOf(PAYMENT).digest);
        expect(read.authorization).toMatchObject({ value: '20000', validAfter: '0' });
      }),
    );
  });

  it('computes different digests for different signatures with one nonce', () => {
    const other = { ...PAYMENT, payload: { ...PAYMENT.payload, signature: `0x${'ef'.repeat(65)}` } };
    expect(payloadOf(other).digest).not.toBe(payloadOf(PAYMENT).digest);
  });
});

describe('matchPayload', () => {
  it('accepts the payment that was offered', () => {
    expect(match(PAYMENT)).toMatchObject({ ok: true, payment: { x402Version: 2, accepted: REQUIREMENT } });
  });

  it('accepts addresses in any case and a version 1 network name', () => {
    expect(match({ ...PAYMENT, accepted: { ...REQUIREMENT, asset: REQUIREMENT.asset.toLowerCase() } }).ok).toBe(true);
    expect(match({ x402Version: 1, scheme: 'exact', network: 'base', payload: PAYMENT.payload }).ok).toBe(true);
  });

  const signed = (change: object) => ({
    ...PAYMENT,
    payload: { ...PAYMENT.payload, authorization: { ...authorization, ...change } },
  });
  it.each([
    ['another scheme', { ...PAYMENT, accepted: { ...REQUIREMENT, scheme: 'upto' } }, 'scheme_unsupported'],
    ['another network', { ...PAYMENT, accepted: { ...REQUIREMENT, network: 'eip155:1' } }, 'network_unsupported'],
    ['another asset', { ...PAYMENT, accepted: { ...REQUIREMENT, asset: authorization.from } }, 'asset_mismatch'],
    ['another recipient', signed({ to: authorization.from }), 'recipient_mismatch'],
    ['less money', signed({ value: '19999' }), 'amount_mismatch'],
    ['more money', signed({ value: '20001' }), 'amount_mismatch'],
    ['another resource', { ...PAYMENT, resource: { url: 'https://probe.example.com/other' } }, 'resource_mismatch'],
  ])('refuses %s', (_, payment, code) => {
    expect(match(payment)).toMatchObject({ ok: false, code });
  });
});

describe('a price that changed', () => {
  const raised = {
    ...OFFER,
    priceAtomic: 30_000n,
    formerPrices: [{ atomic: 20_000n, until: new Date(NOW.getTime() + 60_000) }],
  };

  it('is still accepted at the old value until that ends', () => {
    const reading = match(PAYMENT, raised);
    expect(reading).toMatchObject({ ok: true, requirement: { amount: '20000' } });
    const later = new Date(NOW.getTime() + 60_000);
    expect(matchPayload(payloadOf(PAYMENT), raised, TERMS, later)).toMatchObject({
      ok: false,
      code: 'amount_mismatch',
    });
  });

  it('has the new value for all other payments', () => {
    expect(challengeFor(raised, TERMS).body.accepts).toMatchObject([{ amount: '30000' }]);
    expect(match({ ...PAYMENT, accepted: { ...REQUIREMENT, amount: '25000' } }, raised)).toMatchObject({
      code: 'amount_mismatch',
      error: expect.stringContaining('30000'),
    });
  });
});

describe('validityFault', () => {
  const fault = (validAfter: number, validBefore: number) =>
    validityFault({ validAfter: String(validAfter), validBefore: String(validBefore) }, MAX_TIMEOUT_SEC, NOW, 51_000)
      ?.code;

  it('accepts an authorization that leaves time for work and settlement', () => {
    expect(fault(0, nowSec + MAX_TIMEOUT_SEC)).toBeUndefined();
    expect(fault(nowSec, nowSec + 51)).toBeUndefined();
  });

  it.each([
    ['authorization_expired', 0, nowSec],
    ['authorization_not_yet_valid', nowSec + 1, nowSec + 100],
    ['authorization_valid_too_long', 0, nowSec + 86_400],
    ['authorization_too_short', 0, nowSec + 50],
  ])('refuses with %s', (code, validAfter, validBefore) => {
    expect(fault(validAfter, validBefore)).toBe(code);
  });
});
