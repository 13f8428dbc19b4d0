import { DETECTOR_IDS, gainOfFix, RULES } from '@app/detectors';
import { cell, fix, hostName, rail } from '../../../test/support/report';
import { assembleFacts, inReportOrder, mergeCell, neverProbed, type HostProbe } from './assemble-report';

const AT = '2026-11-01T12:00:00.000Z';
const probe = (more: Partial<HostProbe> = {}): HostProbe => ({
  host: hostName(),
  origin: 'https://shop.example.com',
  reachable: true,
  cells: [cell('llms'), cell('zzz', 'absent')],
  fixes: [fix('zzz')],
  rails: { payable: true, checkedAt: AT, rails: [rail()] },
  signals: [{ id: 'rsl', status: 'absent' }],
  clocks: { probedAt: AT, callabilityProbedAt: AT },
  ...more,
});

describe('assembleFacts', () => {
  it('puts the fields in the order of the specification', () => {
    expect(Object.keys(assembleFacts(probe()))).toEqual([
      'domain',
      'origin',
      'probedAt',
      'callabilityProbedAt',
      'reachable',
      'ucp',
      'fixes',
      'protocols',
      'paymentRails',
      'signals',
      'rules',
    ]);
  });

  it('omits a timestamp that was never set', () => {
    expect(Object.keys(assembleFacts(probe({ clocks: { probedAt: AT } })))).not.toContain('callabilityProbedAt');
  });

  it('sorts cells by detector and fixes by their effect, from any order', () => {
    const byGain = ['ap2', 'x402', 'mpp', 'llms', 'openapi', 'ucp', 'mcp', 'a2a', 'tap', 'acp', 'ai-plugin'];
    const cells = DETECTOR_IDS.toReversed().map((id) => cell(id));
    const fixes = byGain.toReversed().map((id) => ({ ...fix(id), ...gainOfFix(`${id}.missing`) }));
    const facts = assembleFacts(probe({ cells, fixes }));
    expect(facts.protocols.map(({ id }) => id)).toEqual(DETECTOR_IDS);
    expect(facts.fixes.map(({ protocol }) => protocol)).toEqual(byGain);
  });

  const profile = { version: '2026-01-11', shape: 'business' };
  it.each([
    ['present', profile],
    ['partial', profile],
    ['absent', null],
    ['error', null],
  ] as const)('reads ucp from the profile of a %s cell', (status, ucp) => {
    expect(assembleFacts(probe({ cells: [cell('ucp', status, { profile })] })).ucp).toEqual(ucp);
  });

  it.each([
    ['no ucp cell', []],
    ['a ucp cell without a profile', [cell('ucp')]],
    ['a profile that is not an object', [cell('ucp', 'present', { profile: ['x'] })]],
  ])('has ucp null with %s', (_, cells) => {
    expect(assembleFacts(probe({ cells })).ucp).toBeNull();
  });
});

describe('inReportOrder', () => {
  it('sorts stably by the given order, unknown ids last', () => {
    const items = ['c2', 'x', 'a1', 'c1', 'b'];
    expect(inReportOrder(items, (item) => item[0] ?? '', ['a', 'b', 'c'])).toEqual(['a1', 'b', 'c2', 'c1', 'x']);
  });
});

describe('neverProbed', () => {
  it('has only the host name', () => {
    expect(neverProbed(hostName())).toEqual({
      domain: 'shop.example.com',
      origin: 'https://shop.example.com',
      ucp: null,
      fixes: [],
      protocols: [],
      paymentRails: { payable: false, checkedAt: null, rails: [] },
    });
  });
});

describe('mergeCell', () => {
  it('replaces the cell and its fixes in place, without changing timestamps', () => {
    const before = assembleFacts(probe({ fixes: [fix('llms', 'partial'), fix('zzz')] }));
    const after = mergeCell(before, cell('llms', 'absent'), [fix('llms')]);
    expect(after).toEqual({
      ...before,
      protocols: [cell('llms', 'absent'), cell('zzz', 'absent')],
      fixes: [fix('llms'), fix('zzz')],
    });
    expect(Object.keys(after)).toEqual(Object.keys(before));
  });

  it('drops the fixes of a protocol that is healthy now', () => {
    expect(mergeCell(assembleFacts(probe()), cell('zzz'), []).fixes).toEqual([]);
  });

  it('updates ucp with its own cell only', () => {
    const before = assembleFacts(probe({ cells: [cell('ucp', 'present', { profile: { version: 'a' } })] }));
    expect(mergeCell(before, cell('ucp', 'present', { profile: { version: 'b' } }), []).ucp).toEqual({ version: 'b' });
    expect(mergeCell(before, cell('llms', 'absent'), []).ucp).toEqual({ version: 'a' });
  });

  it('gives a host that was never probed only this cell, without timestamps', () => {
    expect(mergeCell(neverProbed(hostName()), cell('llms', 'absent'), [fix('llms')])).toEqual({
      ...neverProbed(hostName()),
      rules: RULES,
      protocols: [cell('llms', 'absent')],
      fixes: [fix('llms')],
    });
  });
});
