import { OptOuts, type LimitStore } from '@app/limits';
import type { Run, RunRequest } from '@app/persistence';
import { RateLimiterMemory, type RateLimiterStoreAbstract } from 'rate-limiter-flexible';
import { hostName } from '../../../../test/support/probing';
import { FreePresence, preferredWaitMs } from './free-presence';

/** Free looks of processes that share their counters, and the hosts that were looked at. */
function freeLooks() {
  const limiters = new Map<string, RateLimiterMemory>();
  const limits: LimitStore = {
    limiter: (name, points, duration) => {
      const known = limiters.get(name) ?? new RateLimiterMemory({ keyPrefix: name, points, duration });
      limiters.set(name, known);
      return known as unknown as RateLimiterStoreAbstract;
    },
    close: () => undefined,
  };
  const looked: string[] = [];
  const run = ({ domain }: RunRequest) => {
    looked.push(domain);
    return Promise.resolve({} as Run);
  };
  const optOuts = new OptOuts(
    [],
    () => Promise.resolve([]),
    () => undefined,
  );
  return { looked, limiters, process: () => new FreePresence({ probes: { run }, limits, optOuts }) };
}

describe('a free look', () => {
  it('counts for the network of its caller, who commands many addresses of IPv6', async () => {
    const { looked, process } = freeLooks();
    const presence = process();
    for (let i = 0; i < 40; i += 1) await presence.offer(hostName(`h${i}.example.com`), `2001:db8:1:2::${i}`, 1_000);
    expect(looked).toHaveLength(30);
    await presence.offer(hostName('other.example.com'), '2001:db8:1:3::1', 1_000);
    expect(looked).toHaveLength(31);
  });

  it('that found no room among those of an hour is still to be made', async () => {
    const { looked, limiters, process } = freeLooks();
    const presence = process();
    await limiters.get('presence')!.block('everybody', 3_600);
    await presence.offer(hostName(), '192.0.2.1', 1_000);
    expect(looked).toEqual([]);
    await limiters.get('presence')!.delete('everybody');
    await process().offer(hostName(), '192.0.2.1', 1_000);
    expect(looked).toEqual(['shop.example.com']);
    await process().offer(hostName(), '192.0.2.2', 1_000);
    expect(looked).toEqual(['shop.example.com']);
  });
});

describe('preferredWaitMs', () => {
  it.each([
    [undefined, 0],
    ['respond-async', 0],
    ['wait=3', 3_000],
    ['respond-async, wait=10', 10_000],
    ['wait=9999', 10_000],
    ['await=5', 0],
    ['wait=-1', 0],
  ])('reads %j as %d ms', (prefer, ms) => {
    expect(preferredWaitMs(prefer)).toBe(ms);
  });
});
