import { RateLimiterMemory, type RateLimiterStoreAbstract } from 'rate-limiter-flexible';
import { FreeProbeBudgets } from './free-probe-budgets';
import type { LimitStore } from './limit-store';
import { TargetBusyError } from './target-busy-error';

const PER_SITE = 2;
const budgets = (): FreeProbeBudgets => {
  const store: LimitStore = {
    limiter: (keyPrefix, points, duration) =>
      new RateLimiterMemory({ keyPrefix, points, duration }) as unknown as RateLimiterStoreAbstract,
    close: () => undefined,
  };
  return new FreeProbeBudgets(store, PER_SITE);
};

describe('the free probes of a day', () => {
  it('are so many of one site, and those of another are its own', async () => {
    const all = budgets();
    for (let n = 0; n < PER_SITE; n += 1) await all.begin('example.com');
    await expect(all.begin('example.com')).rejects.toThrow(TargetBusyError);
    await all.begin('example.org');
  });

  it('are so many of one network, whichever sites lead there', async () => {
    const all = budgets();
    for (let n = 0; n < PER_SITE * 8; n += 1) await all.forProbe()([`192.0.2.${n}`]);
    await expect(all.forProbe()(['192.0.2.200'])).rejects.toThrow(TargetBusyError);
    await all.forProbe()(['198.51.100.1']);
  });

  it('count once in a network, however many requests they make there', async () => {
    const all = budgets();
    const probe = all.forProbe();
    for (let n = 0; n < PER_SITE * 8 + 5; n += 1) await probe(['192.0.2.1', '192.0.2.2']);
    await all.forProbe()(['192.0.2.3']);
  });
});
