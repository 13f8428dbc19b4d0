import fc from 'fast-check';
import type { JsonObject } from '@app/detectors';
import { cell, fix, hostName, rail } from '../../../test/support/report';
import { historyDays, historyOf } from './availability';
import { assembleFacts, neverProbed } from './assemble-report';
import { cacheState } from './cache-state';
import type { HostFacts, RefreshOffer } from './host-report';
import { renderFacts, renderReport, renderReportEnd } from './render';

const NOW = new Date('2026-11-01T12:05:00.000Z');
const AT = '2026-11-01T12:00:00.000Z';
const REFRESH: RefreshOffer = {
  payable: true,
  priceUsd: 0.02,
  network: 'eip155:8453',
  rest: { method: 'GET', url: 'https://api.example.net/api/v1/hosts/shop.example.com/refresh' },
  mcp: { tool: 'refresh_host', path: '/api/v1/mcp' },
  docs: 'https://api.example.net/docs',
};
const served = (facts: HostFacts) => {
  const cache = cacheState(facts, NOW);
  return {
    text: renderReport(renderFacts(facts), { cache, refresh: REFRESH }),
    whole: JSON.stringify({ ...facts, cache, refresh: REFRESH }),
  };
};

describe('renderReport', () => {
  it('equals serializing a complete report, for a host that was never probed', () => {
    const { text, whole } = served(neverProbed(hostName()));
    expect(text).toBe(whole);
    expect(Object.keys(JSON.parse(text) as object).slice(-2)).toEqual(['cache', 'refresh']);
  });

  it('shows an opt-out, and nothing otherwise', () => {
    const facts = neverProbed(hostName());
    const cache = cacheState(facts, NOW);
    const marked = renderFacts(facts).slice(0, -1) + renderReportEnd({ cache, refresh: REFRESH, optedOut: true });
    expect(marked).toBe(JSON.stringify({ ...facts, optedOut: true, cache, refresh: REFRESH }));
    expect(served(facts).text).not.toContain('optedOut');
  });

  it('says why a probe was skipped, in addition to the report', () => {
    const facts = neverProbed(hostName());
    const cache = cacheState(facts, NOW);
    const skipped = { reason: 'rate_limited', at: AT, until: AT } as const;
    expect(renderReport(renderFacts(facts), { cache, refresh: REFRESH, skipped })).toBe(
      JSON.stringify({ ...facts, skipped, cache, refresh: REFRESH }),
    );
  });

  it('ends with the availability, if it is known', () => {
    const facts = neverProbed(hostName());
    const cache = cacheState(facts, NOW);
    const history = historyOf({ up: 3, down: 1, unknown: 1, days: [] }, historyDays(NOW));
    expect(renderReport(renderFacts(facts), { cache, refresh: REFRESH, history })).toBe(
      JSON.stringify({ ...facts, cache, refresh: REFRESH, history }),
    );
  });

  it('equals serializing a complete report, for any quotes from a host', () => {
    const details = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()) as fc.Arbitrary<JsonObject>;
    fc.assert(
      fc.property(details, fc.boolean(), fc.string({ unit: 'binary' }), (quoted, reachable, payTo) => {
        const facts = assembleFacts({
          host: hostName(),
          origin: 'https://shop.example.com',
          reachable,
          cells: [cell('ucp', 'present', { profile: quoted }), cell('llms', 'partial', quoted)],
          fixes: [fix('llms', 'partial')],
          rails: { payable: true, checkedAt: AT, rails: [rail({ payTo })] },
          signals: [],
          clocks: { probedAt: AT },
        });
        const { text, whole } = served(facts);
        expect(text).toBe(whole);
      }),
    );
  });
});
