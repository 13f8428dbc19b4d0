import { RateLimiterMemory, type RateLimiterStoreAbstract } from 'rate-limiter-flexible';
import { CallerLimit, callerKey, FloodGuard, isLoopback, networkKey } from './caller-limits';
import type { Counters } from './limit-store';

const quota = { name: 'checks', points: 2, windowSec: 60 };

describe('callerKey', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['unknown', 'unknown'],
  ])('counts %s as %s', (address, key) => {
    expect(callerKey(address)).toBe(key);
  });
});

describe('networkKey', () => {
  it.each([
    ['192.0.2.7', '192.0.2.0/24'],
    ['::ffff:192.0.2.7', '192.0.2.0/24'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['2001:db8:1:ffff::', '2001:db8:1::/48'],
    ['unknown', 'unknown'],
  ])('of %s is %s', (address, key) => {
    expect(networkKey(address)).toBe(key);
  });
});

describe('isLoopback', () => {
  it.each([
    ['127.0.0.1', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['192.0.2.1', false],
    ['', false],
  ])('of %s is %s', (address, own) => {
    expect(isLoopback(address)).toBe(own);
  });
});

describe('FloodGuard', () => {
  it('allows each address the limit of requests and refuses the next one', async () => {
    const guard = new FloodGuard(quota);
    const standings = [await guard.take('192.0.2.1'), await guard.take('192.0.2.1'), await guard.take('192.0.2.1')];
    expect(standings.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
      [true, 1],
      [true, 0],
      [false, 0],
    ]);
    expect(standings[2]!.resetSec).toBeGreaterThan(0);
    expect(standings[2]!.resetSec).toBeLessThanOrEqual(60);
    expect((await guard.take('192.0.2.2')).allowed).toBe(true);
  });
});

describe('CallerLimit', () => {
  it.each([
    ['is unreachable', () => Promise.reject(new Error('connection lost'))],
    ['says nothing', () => new Promise<never>(() => undefined)],
  ])('counts in the process while the shared store %s', async (_, consume) => {
    const away = new RateLimiterMemory({ points: 2, duration: 60 });
    away.consume = consume;
    const store: Counters = { limiter: () => away as unknown as RateLimiterStoreAbstract };
    const limit = new CallerLimit(store, quota);
    expect((await limit.take('192.0.2.1')).allowed).toBe(true);
    await limit.take('192.0.2.1');
    expect((await limit.take('192.0.2.1')).allowed).toBe(false);
  });
});
