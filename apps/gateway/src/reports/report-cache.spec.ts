import type { StoredReport } from '@app/storage';
import { HostName } from '@app/hosts';
import { type RefreshOffer, type StoredText } from '@app/reports';
import { KEPT_FRESH_MS } from './cached-report';
import { ReportCache } from './report-cache';

function shop(): HostName {
  const reading = HostName.parse('shop.example.com');
  if (!reading.ok) throw new Error('a host name');
  return reading.host;
}

/** A cache over a store that counts its queries. */
function cacheOf() {
  let statements = 0;
  let empty = false;
  const noted: string[] = [];
  let fault: Error | undefined;
  let changed: (domain: string) => void = () => undefined;
  const hosts = {
    findReports: (domains: readonly string[]): Promise<ReadonlyMap<string, StoredReport>> => {
      statements += 1;
      if (fault) return Promise.reject(fault);
      if (empty) return Promise.resolve(new Map());
      const report = { version: statements, facts: '{"domain":"shop.example.com"}', clocks: {} };
      return Promise.resolve(new Map(domains.map((domain) => [domain, report])));
    },
  };
  const notices = {
    on: (_channel: string, listener: (payload: string) => void) => {
      changed = listener;
      return () => undefined;
    },
  };
  const refresh = () => ({}) as RefreshOffer;
  const stored = () => ({}) as StoredText;
  const cache = new ReportCache(hosts, notices, { refresh, stored }, { note: (domain) => void noted.push(domain) });
  const change = (domain: string): void => {
    changed(domain);
  };
  const fail = (error: Error | undefined): void => {
    fault = error;
  };
  const forget = (): void => {
    empty = true;
  };
  return { cache, statements: () => statements, change, fail, noted, forget };
}

describe('the cache of reports', () => {
  it('records reads of hosts with a report, but not of unknown names', async () => {
    const { cache, noted, forget } = cacheOf();
    await cache.get(shop());
    expect(noted).toEqual(['shop.example.com']);
    forget();
    await cache.get(shop());
    expect(noted).toEqual(['shop.example.com']);
  });

  it('caches a report from its second read on', async () => {
    const { cache, statements } = cacheOf();
    await cache.get(shop());
    expect(cache.peek('shop.example.com')).toBeUndefined();
    const second = await cache.get(shop());
    expect(cache.peek('shop.example.com')).toBe(second);
    expect(await cache.get(shop())).toBe(second);
    expect(statements()).toBe(2);
  });

  it('builds one report for concurrent readers', async () => {
    const { cache } = cacheOf();
    const reports = await Promise.all(Array.from({ length: 32 }, () => cache.get(shop())));
    expect(new Set(reports).size).toBe(1);
    expect(cache.peek('shop.example.com')).toBe(reports[0]);
  });

  it('drops a report when the host changes', async () => {
    const { cache, change, statements } = cacheOf();
    await cache.get(shop());
    await cache.get(shop());
    change('shop.example.com');
    expect(cache.peek('shop.example.com')).toBeUndefined();
    await cache.get(shop());
    expect(statements()).toBe(3);
  });

  it('serves an old copy with its age while storage fails, and fresh data once it answers', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
    try {
      const { cache, statements, fail } = cacheOf();
      await cache.get(shop());
      const kept = await cache.get(shop());
      jest.advanceTimersByTime(KEPT_FRESH_MS + 2_000);
      fail(new Error('Query read timeout'));
      expect(await cache.get(shop())).toBe(kept);
      expect(kept.serve(Date.now(), false).ageSec).toBe(7);
      fail(new Error('a bug'));
      jest.advanceTimersByTime(2_000);
      await expect(cache.get(shop())).rejects.toThrow('a bug');
      fail(undefined);
      const next = await cache.get(shop());
      expect([next === kept, next.serve(Date.now(), false).ageSec]).toEqual([false, undefined]);
      expect(statements()).toBe(5);
    } finally {
      jest.useRealTimers();
    }
  });
});
