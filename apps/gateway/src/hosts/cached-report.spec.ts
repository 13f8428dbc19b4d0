import { HostName, renderReport, type HostClocks } from '@app/reports';
import { CachedReport } from './cached-report';
import { refreshOffer } from './refresh-offer';

const PROBED = Date.parse('2026-11-01T12:00:00.000Z');
const CLOCKS: HostClocks = {
  probedAt: new Date(PROBED).toISOString(),
  callabilityProbedAt: new Date(PROBED).toISOString(),
};
const FACTS = '{"domain":"shop.example.com","note":"über"}';
const reading = HostName.parse('shop.example.com');
const offer = () => {
  if (!reading.ok) throw new Error('a host name');
  return refreshOffer('https://hostprobe.example.com', reading.host, 'eip155:8453');
};
const cached = (clocks: HostClocks = CLOCKS, version = 7) => new CachedReport(version, FACTS, clocks, offer);
const state = (presenceStale: boolean, callabilityStale: boolean) => ({
  presenceMaxAgeSec: 86_400 as const,
  callabilityMaxAgeSec: 900 as const,
  presenceStale,
  callabilityStale,
});

describe('a report in memory', () => {
  it('is the same octets as the report rendered at once, under every combination of flags', () => {
    const report = cached();
    for (const [seconds, presence, callability] of [
      [0, false, false],
      [901, false, true],
      [86_401, true, true],
      [10, false, false],
    ] as const) {
      const { body } = report.serve(PROBED + seconds * 1_000, false);
      expect(body.toString()).toBe(renderReport(FACTS, state(presence, callability), offer()));
    }
  });

  it('is the same to its first reader and to those that follow, however long it is', () => {
    for (const length of [1, 100_000, 1_000_000]) {
      const facts = JSON.stringify({ domain: 'shop.example.com', note: '→é😀'.repeat(length) });
      const report = new CachedReport(7, facts, CLOCKS, offer);
      const text = renderReport(facts, state(false, false), offer());
      expect(report.serve(PROBED, false).body === text).toBe(true);
      expect(Buffer.from(text).equals(report.serve(PROBED, false).body as Buffer)).toBe(true);
    }
  });

  it('says that a host opted out, and has another tag then', () => {
    const report = cached();
    const [before, after] = [report.serve(PROBED, false), report.serve(PROBED, true)];
    expect(JSON.parse(after.body.toString())).toMatchObject({ optedOut: true });
    expect(after.etag).not.toBe(before.etag);
    expect(report.serve(PROBED, false).etag).toBe(before.etag);
  });

  it('is handed out as it is while nothing about it changes', () => {
    const report = cached();
    report.serve(PROBED, false);
    const second = report.serve(PROBED, false);
    expect(report.serve(PROBED + 839_000, false)).toBe(second);
    expect(second).toMatchObject({ etag: '"7-0"', maxAgeSec: 60, known: true, presenceStale: false });
  });

  it('may be kept until its next flag flips, and no longer', () => {
    const report = cached();
    report.serve(PROBED, false);
    expect(report.serve(PROBED + 860_000, false).maxAgeSec).toBe(40);
    expect(report.serve(PROBED + 899_500, false).maxAgeSec).toBe(0);
    expect(report.serve(PROBED + 900_001, false)).toMatchObject({ etag: '"7-1"', maxAgeSec: 60 });
  });

  it('of a host nobody looked at may be kept for a moment', () => {
    expect(cached({}, 0).serve(PROBED, false)).toMatchObject({
      etag: '"0-3"',
      maxAgeSec: 5,
      known: false,
      presenceStale: true,
    });
  });
});
