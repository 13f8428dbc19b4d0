import { renderReport, type HostClocks, type RefreshOffer } from '@app/reports';
import fc from 'fast-check';
import { CachedReport } from './cached-report';

const PROBED = Date.parse('2026-11-01T12:00:00.000Z');
const CLOCKS: HostClocks = {
  probedAt: new Date(PROBED).toISOString(),
  callabilityProbedAt: new Date(PROBED).toISOString(),
};
const LISTED = '2026-11-01T11:00:00.000Z';
const FACTS = '{"domain":"shop.example.com","note":"über"}';
const OFFER: RefreshOffer = {
  payable: true,
  priceUsd: 0.02,
  network: 'eip155:8453',
  rest: { method: 'GET', url: 'https://hostprobe.example.com/api/v1/hosts/shop.example.com/refresh' },
  mcp: { tool: 'refresh_host', path: '/api/v1/mcp' },
  docs: 'https://hostprobe.example.com/openapi.json',
};
const ending = () => ({ refresh: OFFER });
const cached = (clocks: HostClocks = CLOCKS, version = 7) =>
  new CachedReport({ version, facts: FACTS, clocks }, ending);
const state = (presenceStale: boolean, callabilityStale: boolean) => ({
  presenceMaxAgeSec: 86_400 as const,
  callabilityMaxAgeSec: 900 as const,
  presenceStale,
  callabilityStale,
});

describe('a cached report', () => {
  it('has the same bytes as a freshly rendered report, for every combination of flags', () => {
    const report = cached();
    for (const [seconds, presence, callability] of [
      [0, false, false],
      [901, false, true],
      [86_401, true, true],
      [10, false, false],
    ] as const) {
      const { body } = report.serve(PROBED + seconds * 1_000, false);
      expect(body.toString()).toBe(renderReport(FACTS, { cache: state(presence, callability), refresh: OFFER }));
    }
  });

  it('is the same for its first and later readers, at any length', () => {
    for (const length of [1, 100_000, 1_000_000]) {
      const facts = JSON.stringify({ domain: 'shop.example.com', note: '→é😀'.repeat(length) });
      const report = new CachedReport({ version: 7, facts, clocks: CLOCKS }, ending);
      const text = renderReport(facts, { cache: state(false, false), refresh: OFFER });
      expect(report.serve(PROBED, false).body === text).toBe(true);
      expect(Buffer.from(text).equals(report.serve(PROBED, false).body as Buffer)).toBe(true);
    }
  });

  it('shows that a host opted out, and changes its tag', () => {
    const report = cached();
    const [before, after] = [report.serve(PROBED, false), report.serve(PROBED, LISTED)];
    expect(JSON.parse(after.body.toString())).toMatchObject({
      optedOut: true,
      skipped: { reason: 'opted_out', at: LISTED },
    });
    expect(after.etag).not.toBe(before.etag);
    expect(report.serve(PROBED, false).etag).toBe(before.etag);
  });

  it('has the same tag as another report if and only if the bytes are equal, whatever their versions', () => {
    const stored = fc.record({
      // Versions repeat after a host was deleted and probed again, a backup was restored, or the format changed with a
      // release.
      version: fc.integer({ min: 1, max: 3 }),
      note: fc.constantFrom('before', 'after', 'ü'),
      priceUsd: fc.constantFrom(0.02, 0.03),
      afterSec: fc.constantFrom(0, 901, 86_401),
      optedOut: fc.constantFrom(false as const, LISTED, CLOCKS.probedAt!),
      reads: fc.integer({ min: 1, max: 3 }),
    });
    type Stored = typeof stored extends fc.Arbitrary<infer T> ? T : never;
    const read = ({ version, note, priceUsd, afterSec, optedOut, reads }: Stored) => {
      const facts = JSON.stringify({ domain: 'shop.example.com', note });
      const report = new CachedReport({ version, facts, clocks: CLOCKS }, () => ({ refresh: { ...OFFER, priceUsd } }));
      for (let at = 1; at < reads; at += 1) report.serve(PROBED, false);
      return report.serve(PROBED + afterSec * 1_000, optedOut);
    };
    fc.assert(
      fc.property(stored, stored, (one, other) => {
        const [first, second] = [read(one), read(other)];
        expect(first.etag === second.etag).toBe(first.body.toString() === second.body.toString());
      }),
      { numRuns: 400 },
    );
  });

  it('is reused while nothing changes', () => {
    const report = cached();
    report.serve(PROBED, false);
    const second = report.serve(PROBED, false);
    expect(report.serve(PROBED + 839_000, false)).toBe(second);
    expect(second).toMatchObject({ maxAgeSec: 60, known: true, presenceStale: false });
  });

  it('may be cached until its next flag flips, but not longer', () => {
    const report = cached();
    report.serve(PROBED, false);
    expect(report.serve(PROBED + 860_000, false).maxAgeSec).toBe(40);
    expect(report.serve(PROBED + 899_500, false).maxAgeSec).toBe(0);
    expect(report.serve(PROBED + 900_001, false)).toMatchObject({ maxAgeSec: 60 });
  });

  it('of a host that was never probed may be cached briefly', () => {
    expect(cached({}, 0).serve(PROBED, false)).toMatchObject({
      maxAgeSec: 5,
      known: false,
      presenceStale: true,
    });
  });
});
