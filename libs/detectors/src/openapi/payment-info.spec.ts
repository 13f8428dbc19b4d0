import fc from 'fast-check';
import { readPaymentInfo } from './payment-info';

const OFFER = {
  intent: 'charge',
  method: 'tempo',
  amount: '500000',
  currency: '0x20c0000000000000000000000000000000000000',
};
const PRICE = { mode: 'fixed', currency: 'USD', amount: '0.50' };

/** `x-payment-info` in both dialects, one of them or none. */
const info = fc.record(
  {
    offers: fc.constantFrom([OFFER], [OFFER, { intent: 'session', amount: null }], []),
    intent: fc.constant('charge'),
    method: fc.constant('stripe'),
    price: fc.constant(PRICE),
    protocols: fc.constantFrom(['x402'], [{ x402: {} }], ['mpp'], [{ x402: {} }, { mpp: {} }], ['l402'], []),
  },
  { requiredKeys: [] },
);

describe('readPaymentInfo', () => {
  it('combines both dialects, and ignores offers that the MPP parser rejects', () => {
    fc.assert(
      fc.property(info, (stated) => {
        const { protocols, offers, mppRefused } = readPaymentInfo(stated);
        const named = JSON.stringify(stated.protocols ?? []);
        const flat = stated.intent ?? stated.method;
        const refused = stated.offers !== undefined && (stated.offers.length === 0 || flat !== undefined);
        expect(mppRefused).toBe(refused);
        const offered = !refused && (stated.offers !== undefined || flat !== undefined);
        expect(offers.length > 0).toBe(offered);
        const mpp = offered || named.includes('mpp');
        expect(protocols.includes('mpp')).toBe(mpp);
        expect(protocols.includes('x402')).toBe(named.includes('x402') || (named === '[]' && !mpp));
      }),
    );
  });

  it('keeps offers next to a price, and accepts a missing amount', () => {
    const { offers, protocols, price } = readPaymentInfo({
      price: PRICE,
      offers: [{ intent: 'charge', method: 'tempo' }],
    });
    expect([offers.length, protocols, price]).toEqual([1, ['mpp'], '0.50']);
  });

  it('rejects offers next to any field of an offer', () => {
    for (const name of ['intent', 'method', 'amount', 'currency', 'description']) {
      expect(readPaymentInfo({ offers: [OFFER], [name]: 'x' })).toMatchObject({ mppRefused: true, offers: [] });
    }
    expect(readPaymentInfo({ offers: [OFFER, 'free'] }).mppRefused).toBe(true);
    expect(readPaymentInfo({ offers: OFFER }).mppRefused).toBe(true);
  });
});
