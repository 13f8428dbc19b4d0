import fc from 'fast-check';
import type { JsonObject } from '@app/detectors';
import { cell, fix, hostName, rail } from '../../../test/support/report';
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
    text: renderReport(renderFacts(facts), cache, REFRESH),
    whole: JSON.stringify({ ...facts, cache, refresh: REFRESH }),
  };
};

describe('renderReport', () => {
  it('equals serialising the whole report, for a host never probed', () => {
    const { text, whole } = served(neverProbed(hostName()));
    expect(text).toBe(whole);
    expect(Object.keys(JSON.parse(text) as object).slice(-2)).toEqual(['cache', 'refresh']);
  });

  it('says when a host opted out, and nothing of it otherwise', () => {
    const facts = neverProbed(hostName());
    const cache = cacheState(facts, NOW);
    const marked = renderFacts(facts).slice(0, -1) + renderReportEnd(cache, REFRESH, true);
    expect(marked).toBe(JSON.stringify({ ...facts, optedOut: true, cache, refresh: REFRESH }));
    expect(served(facts).text).not.toContain('optedOut');
  });

  it('equals serialising the whole report, whatever a host made us quote', () => {
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
          clocks: { probedAt: AT },
        });
        const { text, whole } = served(facts);
        expect(text).toBe(whole);
      }),
    );
  });
});
