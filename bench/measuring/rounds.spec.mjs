import { inRounds, middle, ratio } from './rounds.mjs';

describe('rounds', () => {
  it('measure the subjects in turn, after one round that is not counted', async () => {
    const asked = [];
    const records = await inRounds(['service', 'reference'], 2, async (name, warmingUp) => {
      asked.push(warmingUp ? `${name} to warm up` : name);
      return { ms: asked.length };
    });
    expect(asked).toEqual([
      'service to warm up',
      'reference to warm up',
      'service',
      'reference',
      'service',
      'reference',
    ]);
    expect(records).toEqual({ service: [{ ms: 3 }, { ms: 5 }], reference: [{ ms: 4 }, { ms: 6 }] });
  });

  it('wait for one measurement before the next', async () => {
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

  it('compare what was measured in the same round: a slow round is slow for both', () => {
    expect(ratio(records, 'service', 'reference', ms)).toBe(2); // of 0.5, 2 and 3; the medians alone are 9 and 3
  });

  it('tell the median of one subject', () => {
    expect([middle(records, 'service', ms), middle(records, 'reference', ms)]).toEqual([9, 3]);
  });
});
