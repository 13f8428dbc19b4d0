import fc from 'fast-check';
import { readPaymentInfo } from './payment-info';

const OFFER = {
  intent: 'charge',
  method: 'tempo',
  amount: '500000',
  currency: '0x20c0000000000000000000000000000000000000',
};
const PRICE = { mode: 'fixed', currency: 'USD', amount: '0.50' };

/** `x-payment-info` in both dialects, in one and in none. */
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
  it('joins what both dialects say, and takes no offer that the parser of MPP refuses', () => {
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

  it('keeps offers beside a price, and takes a missing amount', () => {
    const { offers, protocols, price } = readPaymentInfo({
      price: PRICE,
      offers: [{ intent: 'charge', method: 'tempo' }],
    });
    expect([offers.length, protocols, price]).toEqual([1, ['mpp'], '0.50']);
  });

  it('refuses offers beside each member that an offer has', () => {
    for (const name of ['intent', 'method', 'amount', 'currency', 'description']) {
      expect(readPaymentInfo({ offers: [OFFER], [name]: 'x' })).toMatchObject({ mppRefused: true, offers: [] });
    }
    expect(readPaymentInfo({ offers: [OFFER, 'free'] }).mppRefused).toBe(true);
    expect(readPaymentInfo({ offers: OFFER }).mppRefused).toBe(true);
  });
});
