import type { CellStatus } from '@app/detectors';
import { EXIT } from './exit-codes';
import { exitOf, holdAgainst } from './gate';

describe('a gate', () => {
  it.each<readonly [readonly string[], Readonly<Record<string, CellStatus>>, number]>([
    [[], {}, EXIT.done],
    [['ucp', 'x402'], { ucp: 'present', x402: 'present' }, EXIT.done],
    [['ucp', 'x402'], { ucp: 'present', x402: 'partial' }, EXIT.failed],
    [['ucp'], { ucp: 'absent' }, EXIT.failed],
    [['ucp'], { ucp: 'error' }, EXIT.undecided],
    [['ucp'], {}, EXIT.undecided],
    [['ucp', 'x402'], { ucp: 'error', x402: 'absent' }, EXIT.failed],
  ])('of %j at a host with %j ends with %d', (gate, cells, exit) => {
    expect(exitOf(holdAgainst(gate, (id) => cells[id]))).toBe(exit);
  });

  it('gives the reason for each protocol', () => {
    const cells: Readonly<Record<string, CellStatus>> = { ucp: 'error', x402: 'partial' };
    expect(holdAgainst(['ucp', 'x402', 'mcp'], (id) => cells[id]).map(({ id, remark }) => `${id} ${remark}`)).toEqual([
      'ucp could not be checked',
      'x402 is partial',
      'mcp has never been checked',
    ]);
  });
});
