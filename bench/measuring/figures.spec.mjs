import { at, finding, inRounds, median, middle, ratio, tableOf } from './figures.mjs';

describe('order statistics', () => {
  it('sort values as numbers, in any input order, without changing the input', () => {
    const values = Object.freeze([100, 9, 10]);
    expect([median(values), at(values, 0), at(values, 1)]).toEqual([10, 9, 100]);
    expect(median([4, 1, 3, 2])).toBe(3);
  });

  it('return the value below which the share lies', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => index + 1);
    expect([at(hundred, 0.5), at(hundred, 0.975), at(hundred, 0.99)]).toEqual([51, 98, 100]);
  });
});

describe('rounds', () => {
  it('measure the subjects in turn, after one round that is not counted', async () => {
    const asked = [];
    const records = await inRounds(['service', 'reference'], 2, async (name, warmingUp) => {
      asked.push(warmingUp ? `${name} to warm up` : name);
      return { ms: asked.length };
    });
    const turns = 'service to warm up, reference to warm up, service, reference, service, reference';
    expect(asked.join(', ')).toBe(turns);
    expect(records).toEqual({ service: [{ ms: 3 }, { ms: 5 }], reference: [{ ms: 4 }, { ms: 6 }] });
  });

  it('finish one measurement before the next begins', async () => {
    let underWay = 0;
    let most = 0;
    await inRounds(['service', 'reference'], 3, async () => {
      most = Math.max(most, (underWay += 1));
      await new Promise((resolve) => setImmediate(resolve));
      underWay -= 1;
    });
    expect(most).toBe(1);
  });

  const records = { service: [{ ms: 1 }, { ms: 40 }, { ms: 9 }], reference: [{ ms: 2 }, { ms: 20 }, { ms: 3 }] };
  const ms = (record) => record.ms;

  it('compare measurements of the same round, because a slow round is slow for both', () => {
    expect(ratio(records, 'service', 'reference', ms)).toBe(2); // The ratios are 0.5, 2 and 3. Dividing the medians would give 9 / 3.
  });

  it('return the median of one subject', () => {
    expect([middle(records, 'service', ms), middle(records, 'reference', ms)]).toEqual([9, 3]);
  });
});

const row = (figure, more) => finding('cached report', figure, 'x', { reference: 'bare Fastify', ...more });

describe('a finding', () => {
  it('meets a target that it equals exactly, whether minimum or maximum', () => {
    expect(row(0.85, { target: { atLeast: 0.85 } })).toMatchObject({ met: true, missedBy: 0 });
    expect(row(1.5, { target: { atMost: 1.5 } })).toMatchObject({ met: true, missedBy: 0 });
  });

  it('misses a bound by the share that it is below or above', () => {
    for (const [figure, target, share] of [
      [0.6, { atLeast: 0.8 }, 0.25],
      [3, { atMost: 2 }, 0.5],
    ])
      expect(row(figure, { target })).toMatchObject({ met: false, missedBy: expect.closeTo(share) });
  });

  it('is neither met nor missed when there is no target', () => {
    const told = { what: 'cached report', figure: 0.69, unit: 'x', reference: 'bare Fastify', detail: {} };
    expect(row(0.69)).toEqual(told);
  });
});

describe('the table of findings', () => {
  it('shows the figure, the target, by how much it was missed, and the reference', () => {
    const line = tableOf([row(0.69, { target: { atLeast: 0.85 } })]);
    expect(line.trimEnd().split(/ {2,}/)).toEqual([
      'cached report',
      '0.69 x',
      '>= 0.85 x',
      'missed by 19 %',
      'bare Fastify',
    ]);
  });

  it('shows only the reference for a figure without a target', () => {
    expect(tableOf([row(0.69, { reference: '' })])).toMatch(/^cached report +0\.69 x\n$/);
    expect(tableOf([row(0.69)])).toMatch(/^cached report +0\.69 x {3}bare Fastify\n$/);
  });
});
