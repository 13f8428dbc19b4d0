import { setTimeout as delay } from 'node:timers/promises';
import { NegativeCache, openLimitStore, Slots, TargetBudgets, TargetBusyError, type LimitStore } from '@app/limits';
import { Database } from '@app/storage';
import { ProbeFault } from '@app/probing';
import { hostName, testProber } from '../../../test/support/probing';
import { backends, freshDatabase, freshRedis } from '../../../test/support/stack';

const HOST = 'shop.example.com';
const NEVER = new AbortController().signal;

describe.each(backends())('shared state about targets, stored in %s', (backend) => {
  const stops: (() => unknown)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  });

  /** The stores of this many processes on one server. */
  async function stores(count: number): Promise<readonly LimitStore[]> {
    const redisUrl = backend === 'redis' ? await freshRedis() : null;
    const url = await freshDatabase();
    return Array.from({ length: count }, () => {
      const database = new Database(url);
      const store = openLimitStore({ redisUrl, pool: database.pool });
      stops.push(() => database.close());
      stops.push(() => {
        store.close();
      });
      return store;
    });
  }

  describe('a host that sent Retry-After', () => {
    it('gets no requests from any process for the longest time it named, up to a quarter of an hour', async () => {
      const limits = { probesPer15Min: 6, requestsPerMin: 240, concurrency: 4 };
      const [asker, other] = (await stores(2)).map((store) => new TargetBudgets(store, limits));
      const target = { host: HOST, site: 'example.com' };
      await asker!.backOff(HOST, 5);
      expect(await other!.waitMs(target)).toBeLessThanOrEqual(5_000);
      await asker!.backOff(HOST, 100_000);
      await other!.backOff(HOST, 5);
      expect(await other!.waitMs(target)).toBeGreaterThan(600_000);
      expect(await other!.waitMs(target)).toBeLessThanOrEqual(900_000);
    });
  });

  describe('the weight and the blocks of a host', () => {
    it('are known to all processes', async () => {
      const limits = { probesPer15Min: 1, requestsPerMin: 10, concurrency: 4 };
      const [gateway, worker] = (await stores(2)).map((store) => new TargetBudgets(store, limits));
      const target = { host: HOST, site: 'example.com' };
      const neighbor = { host: 'h.example.net', site: 'example.net' };
      for (let sent = 0; sent < 19; sent += 1) await gateway!.begin(target, 'paid', 1);
      await expect(worker!.begin(target, 'paid', 2)).rejects.toThrow(TargetBusyError);
      await worker!.begin(target, 'paid', 1);
      expect(await gateway!.waitMs(target, 'paid', 1)).toBeGreaterThan(600_000);
      for (const each of [neighbor, { host: 'other.example.org', site: 'example.org' }])
        await worker!.ofProbe('paid').spend(each, ['198.51.100.1', '2001:db8:1::1']);
      expect(await gateway!.waitMs(neighbor, 'paid', 1)).toBe(0);
      for (let n = 0; n < 38; n += 1)
        await worker!.ofProbe('paid').spend({ host: `h${n}.example`, site: `s${n}.example` }, ['198.51.100.2']);
      expect(await gateway!.waitMs(neighbor, 'paid', 1)).toBeGreaterThan(0);
    });
  });

  describe('slots', () => {
    it('are never used by more requests than the limit across all processes', async () => {
      const processes = (await stores(3)).map((store) => new Slots(store, 2));
      let inside = 0;
      let peak = 0;
      const request = async (slots: Slots): Promise<void> => {
        const leave = await slots.occupy(HOST, NEVER);
        inside += 1;
        peak = Math.max(peak, inside);
        await delay(5);
        inside -= 1;
        await leave();
      };
      const all = processes.flatMap((slots) => Array.from({ length: 8 }, () => request(slots)));
      await Promise.all(all);
      expect(all).toHaveLength(24);
      expect(peak).toBe(2);
    });

    it('become available to a waiting process even if another one keeps requesting them', async () => {
      const [greedy, waiting] = (await stores(2)).map((store) => new Slots(store, 1));
      const asks = { on: true };
      const asking = (async () => {
        while (asks.on) {
          const leave = await greedy!.occupy(HOST, NEVER);
          await delay(2);
          await leave();
        }
      })();
      await delay(20);
      for (let turn = 0; turn < 2; turn += 1) {
        const leave = await waiting!.occupy(HOST, AbortSignal.timeout(20_000));
        await leave();
      }
      asks.on = false;
      await asking;
    });

    it('are half reserved for paid probes, however many free ones there are', async () => {
      const [crowd, paying] = (await stores(2)).map((store) => new Slots(store, 4));
      const over = new AbortController();
      const free = Array.from({ length: 8 }, () => crowd!.occupy(HOST, over.signal, true));
      await Promise.all([Promise.race(free), delay(100)]);
      const leaves = await Promise.all([1, 2].map(() => paying!.occupy(HOST, AbortSignal.timeout(1_000))));
      expect(leaves).toHaveLength(2);
      over.abort(new Error('time is up'));
      const taken = (await Promise.allSettled(free)).filter(({ status }) => status === 'fulfilled');
      expect(taken).toHaveLength(2);
    });

    it('of a crashed process are released by themselves', async () => {
      const [gone, next] = (await stores(2)).map((store) => new Slots(store, 1, 1));
      await gone!.occupy(HOST, NEVER);
      const leave = await next!.occupy(HOST, AbortSignal.timeout(20_000));
      await leave();
    });

    it('respect the timeout of the caller, and a short wait does not count as busy', async () => {
      const [one, other] = (await stores(2)).map((store) => new Slots(store, 1));
      const leave = await one!.occupy(HOST, NEVER);
      const over = new AbortController();
      const refused = other!.occupy(HOST, over.signal);
      over.abort(new Error('time is up'));
      await expect(refused).rejects.toThrow('time is up');
      await leave();
    });

    it('that expired are not released a second time, and long waits fail as busy', async () => {
      const [slow, next, third] = (await stores(3)).map((store, index) => new Slots(store, 1, index === 0 ? 1 : 12));
      const leaveLate = await slow!.occupy(HOST, NEVER);
      const leave = await next!.occupy(HOST, AbortSignal.timeout(20_000));
      await leaveLate();
      await expect(third!.occupy(HOST, AbortSignal.timeout(2_000))).rejects.toThrow(
        'the request budget of the host is used up',
      );
      await leave();
    });
  });

  describe('names that were not found', () => {
    it.each([
      ['a name that does not exist', 'dns_nxdomain', new ProbeFault('dns_nxdomain')],
      ['a name server that does not answer', 'dns_timeout', new ProbeFault('dns_timeout')],
      ['a name that resolves to an internal address', 'address_refused', ['10.9.8.7']],
    ] as const)('are resolved once by two workers: %s', async (_what, reason, answer) => {
      const asked: string[] = [];
      const resolve = (host: string): Promise<readonly string[]> => {
        asked.push(host);
        return answer instanceof ProbeFault ? Promise.reject(answer) : Promise.resolve(answer);
      };
      const ends: unknown[] = [];
      for (const store of await stores(2)) {
        const prober = await testProber({ resolver: { resolve }, negativeCache: new NegativeCache(store) });
        const seen = await prober.collect(hostName(HOST), { detectors: [], phases: ['presence'] });
        ends.push([seen.stoppedBy, seen.exchanges.length]);
      }
      expect(asked).toEqual([HOST]);
      expect(ends[0]).toEqual([reason, 3]);
      expect(ends[1]).toEqual(ends[0]);
    });

    it('are only remembered if they failed: other hosts are resolved every time', async () => {
      const [store] = await stores(1);
      const cache = new NegativeCache(store!);
      for (const reason of ['connect_refused', 'connect_timeout', 'tls_error', 'timeout']) {
        await cache.remember(HOST, reason);
        expect(await cache.recall(HOST)).toBeUndefined();
      }
      await cache.remember(HOST, 'dns_failure');
      expect(await cache.recall(HOST)).toBe('dns_failure');
      expect(await cache.recall('other.example.com')).toBeUndefined();
    });
  });
});
