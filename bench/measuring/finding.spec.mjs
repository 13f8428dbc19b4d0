import { finding, shown, tableOf } from './finding.mjs';

const ROW = { what: 'cached report', figure: 0.69, unit: 'x', reference: 'bare Fastify' };

describe('a finding', () => {
  it('meets a target that it reaches exactly, from either side', () => {
    expect(finding({ ...ROW, figure: 0.85, target: { atLeast: 0.85 } })).toMatchObject({ met: true, missedBy: 0 });
    expect(finding({ ...ROW, figure: 1.5, target: { atMost: 1.5 } })).toMatchObject({ met: true, missedBy: 0 });
  });

  it('misses a lower bound by the share that is lacking', () => {
    const { met, missedBy } = finding({ ...ROW, figure: 0.6, target: { atLeast: 0.8 } });
    expect(met).toBe(false);
    expect(missedBy).toBeCloseTo(0.25);
  });

  it('misses an upper bound by the share that is too much', () => {
    const { met, missedBy } = finding({ ...ROW, figure: 3, target: { atMost: 2 } });
    expect(met).toBe(false);
    expect(missedBy).toBeCloseTo(0.5);
  });

  it('is neither met nor missed without a target', () => {
    expect(finding(ROW)).toEqual({ ...ROW, detail: {} });
  });
});

describe('the table of findings', () => {
  it('says the figure, the target, by how much it was missed and beside what', () => {
    const line = tableOf([finding({ ...ROW, target: { atLeast: 0.85 } })]);
    expect(line.trimEnd().split(/ {2,}/)).toEqual([
      'cached report',
      '0.69 x',
      '>= 0.85 x',
      'missed by 19 %',
      'bare Fastify',
    ]);
  });

  it('says of a figure without a target no more than its reference', () => {
    expect(tableOf([finding({ ...ROW, reference: '' })])).toMatch(/^cached report +0\.69 x\n$/);
    expect(tableOf([finding(ROW)])).toMatch(/^cached report +0\.69 x {3}bare Fastify\n$/);
  });

  it.each([
    [0.046, 'ms', '0.05 ms'],
    [13.4, 'ms', '13 ms'],
    [4.26, 's', '4.3 s'],
    [217.4, 'MB', '217 MB'],
    [17.04, 'KB', '17.0 KB'],
    [45.26, '1/s', '45.3/s'],
    [12_345.6, '1/s', '12346/s'],
    [4.14, '', '4.1'],
    [51.23, 'us', '51.2 us'],
  ])('shows %s in "%s" as %s', (value, unit, text) => {
    expect(shown(value, unit)).toBe(text);
  });
});
