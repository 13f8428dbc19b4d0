import type { HostReport } from '@app/reports';
import { nextProbe } from './next-probe';

const BASE = 'https://hostprobe.example.org';
const URL = `${BASE}/api/v1/hosts/shop.example.com/refresh`;

const UNTIL = '2026-11-22T10:15:00.000Z';

const markupOf = (presenceStale: boolean, freeProbes = true, waits = false): string =>
  nextProbe({
    report: {
      domain: 'shop.example.com',
      probedAt: '2026-11-22T10:00:00.000Z',
      cache: { presenceStale },
      skipped: { reason: 'rate_limited', at: '2026-11-22T10:10:00.000Z', until: UNTIL },
      refresh: { priceUsd: 0.02, rest: { url: URL } },
    } as unknown as HostReport,
    baseUrl: BASE,
    freeProbes,
    waits,
  }).markup;

describe('the next probe of a host', () => {
  it('is free a day after the last one, and the page says when', () => {
    expect(markupOf(false)).toContain('2026-11-23T10:00:00.000Z');
  });

  it('is free now if the report is stale', () => {
    expect(markupOf(true)).toContain('free probe with the button');
    expect(markupOf(true)).not.toContain('<time');
  });

  it('is free after the time that the host asked us to wait', () => {
    expect(markupOf(true, true, true)).toContain(UNTIL);
    expect(markupOf(true, true, true)).not.toContain('button at the top');
  });

  it('is not announced if the service offers no free probes', () => {
    expect(markupOf(false, false)).toContain('does not offer free probes');
    expect(markupOf(false, false)).not.toContain('<time');
  });

  it('is free for the owner after a claim', () => {
    expect(markupOf(false)).toContain('href="/hosts/shop.example.com/claim"');
  });

  it('has a command for this host and this service, with the price as the spend limit', () => {
    expect(markupOf(false)).toContain(`npx hostprobe refresh shop.example.com --max-usd 0.02 --url ${BASE}<`);
    expect(markupOf(false)).toContain(`curl -i ${URL}<`);
  });
});
