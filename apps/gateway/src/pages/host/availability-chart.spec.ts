import type { History } from '@app/reports';
import fc from 'fast-check';
import { availabilityChart } from './availability-chart';

const DAY_MS = 86_400_000;
const [FROM, TO] = ['2026-08-24', '2026-11-21'];
const moments = fc
  .integer({ min: -5 * DAY_MS, max: 95 * DAY_MS })
  .map((ms) => new Date(Date.parse(FROM) + ms).toISOString());
const histories: fc.Arbitrary<History> = fc.record({
  from: fc.constant(FROM),
  to: fc.constant(TO),
  up: fc.integer({ min: 1, max: 500 }),
  down: fc.nat(500),
  unknown: fc.nat(50),
  low: fc.double({ min: 0, max: 0.5, noNaN: true }),
  high: fc.double({ min: 0.5, max: 1, noNaN: true }),
  incidents: fc.array(
    fc.record({
      beginsBetween: fc.tuple(fc.option(moments, { nil: null }), moments),
      endsBetween: fc.option(fc.tuple(moments, moments), { nil: null }),
      failures: fc.nat(9),
    }),
    { maxLength: 10 },
  ),
});

describe('the availability chart', () => {
  it('keeps everything within the drawing, and shows a share only with its interval', () => {
    fc.assert(
      fc.property(histories, (history) => {
        const { markup } = availabilityChart(history);
        const xs = [...markup.matchAll(/ x[12]?="(-?[\d.]+|NaN)"/g)].map((match) => Number(match[1]));
        expect(xs.every((x) => x >= 0 && x <= 706)).toBe(true);
        expect([markup.includes('class="share"'), markup.includes('class="interval"')]).toEqual([true, true]);
        expect(markup.match(/class="incident"/g)?.length ?? 0).toBe(history.incidents.length);
      }),
    );
  });

  it('has a text description', () => {
    const [history] = fc.sample(histories, { numRuns: 1, seed: 1 });
    expect(availabilityChart({ ...history!, up: 9, down: 1 }).markup).toContain('Up in 9 of 10 scheduled checks');
  });
});
