import { loadConfig } from './config';

const priced = (SUBSCRIPTION_PRICE_USD: string) =>
  loadConfig({ DATABASE_URL: 'postgresql://u@127.0.0.1/hostprobe', SUBSCRIPTION_PRICE_USD }).subscriptions;

describe('the price of a subscription', () => {
  it('is the default, an amount, or an amount with a former one', () => {
    expect(priced('')).toMatchObject({ priceUsd: null, formerPrice: null });
    expect(priced('4.50')).toMatchObject({ priceUsd: '4.50', formerPrice: null });
    expect(priced('7 formerly 4.50 until 2026-12-01T12:00:00Z')).toMatchObject({
      priceUsd: '7',
      formerPrice: { usd: '4.50', until: new Date('2026-12-01T12:00:00Z') },
    });
  });

  it.each(['0', '0.0', '-1', '5 USD', '7 formerly 0 until 2026-12-01T12:00:00Z', '7 formerly 5', '7 until tomorrow'])(
    'is not %s',
    (text) => {
      expect(() => priced(text)).toThrow('SUBSCRIPTION_PRICE_USD must be an amount in USDC');
    },
  );
});
