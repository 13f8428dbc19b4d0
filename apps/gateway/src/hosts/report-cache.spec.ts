import type { StoredReport } from '@app/persistence';
import { HostName } from '@app/reports';
import { ReportCache } from './report-cache';

function shop(): HostName {
  const reading = HostName.parse('shop.example.com');
  if (!reading.ok) throw new Error('a host name');
  return reading.host;
}

/** A cache over a store that counts what it is asked. */
function cacheOf() {
  let statements = 0;
  let changed: (domain: string) => void = () => undefined;
  const hosts = {
    findReports: (domains: readonly string[]): Promise<ReadonlyMap<string, StoredReport>> => {
      statements += 1;
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
  const cache = new ReportCache(hosts, notices, () => {
    throw new Error('nothing is served here');
  });
  const change = (domain: string): void => {
    changed(domain);
  };
  return { cache, statements: () => statements, change };
}

describe('the cache of reports', () => {
  it('keeps a report from the second time it is asked for', async () => {
    const { cache, statements } = cacheOf();
    await cache.get(shop());
    expect(cache.peek('shop.example.com')).toBeUndefined();
    const second = await cache.get(shop());
    expect(cache.peek('shop.example.com')).toBe(second);
    expect(await cache.get(shop())).toBe(second);
    expect(statements()).toBe(2);
  });

  it('drops it when the host changes', async () => {
    const { cache, change, statements } = cacheOf();
    await cache.get(shop());
    await cache.get(shop());
    change('shop.example.com');
    expect(cache.peek('shop.example.com')).toBeUndefined();
    await cache.get(shop());
    expect(statements()).toBe(3);
  });
});
