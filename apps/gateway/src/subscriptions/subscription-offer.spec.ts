import { formerOffers } from '@app/payments';
import { HostName } from '@app/reports';
import { subscription, subscriptionTerms } from './subscription-offer';

const CHANGED = new Date('2026-12-01T12:00:00Z');
const TERMS = { priceUsd: '7', formerPrice: { usd: '4.50', until: CHANGED }, days: 10 };

describe('the offer of a subscription', () => {
  const read = HostName.parse('shop.example.com');
  if (!read.ok) throw new Error('the name is good');
  const offered = subscription(subscriptionTerms(TERMS), 'https://probe.example.com', read.host);

  it('costs and lasts what the operator says', () => {
    expect(offered).toMatchObject({ priceAtomic: 7_000_000n, method: 'POST' });
    expect(offered.description).toContain('for 10 days');
  });

  it('is still taken at the price before, until its end', () => {
    const prices = (now: Date) => formerOffers(offered, now).map(({ priceAtomic }) => priceAtomic);
    expect(prices(new Date(CHANGED.getTime() - 1))).toEqual([4_500_000n]);
    expect(prices(CHANGED)).toEqual([]);
  });
});
