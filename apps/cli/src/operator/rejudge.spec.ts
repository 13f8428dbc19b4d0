import { DETECTORS, judgeHost, type HostEvidence } from '@app/detectors';
import { assembleFacts, paymentRails, type HostFacts } from '@app/reports';
import { paywalled } from '../../../../test/support/challenges';
import { html, plain } from '../../../../test/support/evidence';
import { hostName } from '../../../../test/support/probing';
import { fix } from '../../../../test/support/report';
import { probeSite } from '../../../../test/support/site';
import { differs, rejudge } from './rejudge';

const host = hostName();
const at = new Date('2026-11-22T12:00:00.000Z');

function reportOf(seen: HostEvidence): HostFacts {
  const facts = assembleFacts({
    host,
    origin: seen.origin,
    reachable: true,
    ...judgeHost(DETECTORS, seen),
    rails: paymentRails(seen),
    clocks: {},
  });
  return JSON.parse(JSON.stringify(facts)) as HostFacts;
}

describe('rejudging', () => {
  let seen: HostEvidence;
  let stored: HostFacts;
  beforeAll(async () => {
    seen = await probeSite({ '/': paywalled(), '/llms.txt': plain('# Shop\n\n- [a](https://shop.example.com/a)\n') });
    stored = reportOf(seen);
  });
  const edited = (id: string, change: (cell: HostFacts['protocols'][number]) => object): HostFacts => ({
    ...stored,
    protocols: stored.protocols.map((cell) => (cell.id === id ? { ...cell, ...change(cell) } : cell)),
  });

  it('changes nothing while the detectors are the same', () => {
    const rejudged = rejudge(host, stored, seen.exchanges, at).host;
    expect([rejudged.changes, differs(rejudged)]).toEqual([[], false]);
  });

  it('reports a status, its details and the fixes that would change', () => {
    const before = {
      ...edited('llms', ({ details }) => ({
        status: 'partial',
        details: { ...details, note: 'llms_no_h1', links: 0 },
      })),
      fixes: [fix('llms', 'partial')],
    };
    const rejudged = rejudge(host, before, seen.exchanges, at).host;
    expect(rejudged.changes).toEqual([
      { protocol: 'llms', before: 'partial', after: 'present', details: ['links', 'note'] },
    ]);
    expect(rejudged.droppedFixes).toEqual(['llms.partial']);
    expect(new Set(rejudged.newFixes)).toEqual(new Set(stored.fixes.map(({ id }) => id)));
  });

  it('reports a detector that the stored report does not have', () => {
    const before = { ...stored, protocols: stored.protocols.filter(({ id }) => id !== 'x402') };
    expect(rejudge(host, before, seen.exchanges, at).host.changes).toMatchObject([
      { protocol: 'x402', before: 'not judged', after: 'present 2' },
    ]);
  });

  it('reports a host that would become payable', () => {
    const before = { ...stored, paymentRails: { ...stored.paymentRails, payable: false } };
    expect(rejudge(host, before, seen.exchanges, at).host.payable).toEqual([false, true]);
  });

  it('skips a cell that was refreshed separately', async () => {
    const later = reportOf(await probeSite({ '/llms.txt': html() })).protocols.find(({ id }) => id === 'llms')!;
    const evidence = [
      { method: 'GET', url: 'https://shop.example.com/llms.txt', observedAt: '2026-11-02T00:00:00.000Z' },
    ];
    const before = edited('llms', () => ({ ...later, details: { ...later.details, evidence } }));
    expect(rejudge(host, before, seen.exchanges, at).host.changes).toEqual([]);
  });
});
