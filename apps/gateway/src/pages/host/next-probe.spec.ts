import type { HostReport } from '@app/reports';
import { nextProbe } from './next-probe';

const BASE = 'https://hostprobe.example.org';
const URL = `${BASE}/api/v1/hosts/shop.example.com/refresh`;

const markupOf = (presenceStale: boolean, freeProbes = true): string =>
  nextProbe(
    {
      domain: 'shop.example.com',
      probedAt: '2026-11-22T10:00:00.000Z',
      cache: { presenceStale },
      refresh: { priceUsd: 0.02, rest: { url: URL } },
    } as unknown as HostReport,
    BASE,
    freeProbes,
  ).markup;

describe('the next probe of a host', () => {
  it('is free a day after the last one, and the page says when', () => {
    expect(markupOf(false)).toContain('2026-11-23T10:00:00.000Z');
  });

  it('is free now where the report is stale', () => {
    expect(markupOf(true)).toContain('free probe with the button');
    expect(markupOf(true)).not.toContain('<time');
  });

  it('is not announced where the service offers no free probes', () => {
    expect(markupOf(false, false)).toContain('does not offer free probes');
    expect(markupOf(false, false)).not.toContain('<time');
  });

  it('is free for the owner after a claim', () => {
    expect(markupOf(false)).toContain('href="/hosts/shop.example.com/claim"');
  });

  it('is a command of this host at this service, with its price as the limit', () => {
    expect(markupOf(false)).toContain(`npx hostprobe refresh shop.example.com --max-usd 0.02 --url ${BASE}<`);
    expect(markupOf(false)).toContain(`curl -i ${URL}<`);
  });
});
