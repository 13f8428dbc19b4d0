import { DETECTOR_IDS } from '@app/detectors';
import { assembleFacts, neverProbed, participation, type HostReport } from '@app/reports';
import { cell, hostName, rail } from '../../../test/support/report';

const CACHE = { presenceMaxAgeSec: 86_400, callabilityMaxAgeSec: 900 } as const;
const FRESH = { ...CACHE, presenceStale: false, callabilityStale: false };

function report(more: Partial<Parameters<typeof assembleFacts>[0]> = {}, cache = FRESH): HostReport {
  const facts = assembleFacts({
    host: hostName(),
    origin: 'https://shop.example.com',
    reachable: true,
    cells: [cell('llms'), cell('x402', 'partial'), cell('mcp', 'absent')],
    fixes: [],
    rails: { payable: false, checkedAt: null, rails: [] },
    signals: [],
    clocks: { probedAt: '2026-11-01T12:00:00.000Z' },
    ...more,
  });
  return { ...facts, cache, refresh: {} as HostReport['refresh'] };
}

describe('participation', () => {
  it('summarizes a report', () => {
    expect(participation(report())).toEqual({
      domain: 'shop.example.com',
      participates: true,
      present: ['llms'],
      partial: ['x402'],
      payable: false,
      presenceStale: false,
      callabilityStale: false,
      nextAction: 'lookup_host',
    });
  });

  it('counts a live challenge without a document as participation, and suggests a preflight', () => {
    const rails = { payable: true, checkedAt: null, rails: [rail()] };
    const summary = participation(report({ cells: [cell('x402', 'absent')], rails }));
    expect(summary).toMatchObject({ participates: true, payable: true, nextAction: 'pay_preflight' });
  });

  it('is false only for a host that was reached', () => {
    const absent = [cell('llms', 'absent')];
    const withError = [...absent, cell('mcp', 'error')];
    expect(participation(report({ cells: absent })).participates).toBe(false);
    expect(participation(report({ cells: withError })).participates).toBeNull();
    expect(participation(report({ cells: withError, reachable: false })).participates).toBe(false);
  });

  it('is unknown for a host that was never probed, and suggests a probe', () => {
    const cache = { ...CACHE, presenceStale: true, callabilityStale: true };
    const unknown = { ...neverProbed(hostName()), cache, refresh: {} as HostReport['refresh'] };
    expect(participation(unknown)).toMatchObject({ participates: null, present: [], nextAction: 'refresh_host' });
  });

  it('fits in a kilobyte for any host', () => {
    const longest = hostName(`${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.example.com`);
    for (const status of ['present', 'partial'] as const) {
      const cells = DETECTOR_IDS.map((id) => cell(id, status));
      const size = JSON.stringify(participation(report({ host: longest, cells }))).length;
      expect(size).toBeLessThanOrEqual(1_024);
    }
  });
});
