import fc from 'fast-check';
import {
  historyDays,
  historyOf,
  incidentsIn,
  interval,
  observations,
  HISTORY_DAYS,
  type Observation,
} from './availability';

const QUARTER = 900_000;
const MIDNIGHT = Date.parse('2026-11-01T00:00:00.000Z');
/** One character per quarter of an hour: `+` up, `-` down, `?` unknown. */
const seen = (text: string): readonly Observation[] =>
  Array.from(text).flatMap((sign, at) => (sign === '?' ? [] : [{ at: at * QUARTER, up: sign === '+' }]));
const quarter = (iso: string | null | undefined): number | null =>
  iso === null || iso === undefined ? null : Date.parse(iso) / QUARTER;
const spans = (text: string) =>
  incidentsIn(seen(text)).map(({ beginsBetween, endsBetween }) => [
    ...beginsBetween.map(quarter),
    ...(endsBetween ?? []).map(quarter),
  ]);
const signs = (max = 60) => fc.array(fc.constantFrom('+', '-', '?'), { maxLength: max }).map((all) => all.join(''));

describe('the confidence interval', () => {
  it.each([
    [10, 10, 0.7224, 1],
    [0, 10, 0, 0.2776],
    [30, 30, 0.8864, 1],
    [95, 100, 0.8882, 0.9785],
    [99, 100, 0.9455, 0.9983],
    [1_440, 1_440, 0.9973, 1],
    [0, 0, 0, 1],
  ])('of %d of %d probes is %d to %d', (up, probes, low, high) => {
    expect(interval(up, probes)).toEqual({ low, high });
  });

  it.each([
    [0.9, 35],
    [0.95, 73],
    [0.99, 381],
    [0.995, 765],
    [0.999, 3_838],
  ])('reaches the level %d after %d successful probes, not earlier', (level, probes) => {
    expect(interval(probes, probes).low).toBeGreaterThanOrEqual(level);
    expect(interval(probes - 1, probes - 1).low).toBeLessThan(level);
  });

  it('contains the fraction, is never a single point, is symmetric, and narrows with more probes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000 }), fc.double({ min: 0, max: 1, noNaN: true }), (probes, part) => {
        const up = Math.round(probes * part);
        const { low, high } = interval(up, probes);
        const mirrored = interval(probes - up, probes);
        const more = interval(up * 4, probes * 4);
        expect(low).toBeLessThanOrEqual(up / probes);
        expect(high).toBeGreaterThanOrEqual(up / probes);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
        expect(high - low).toBeGreaterThan(0);
        expect(mirrored.low).toBeCloseTo(1 - high, 3);
        expect(more.high - more.low).toBeLessThanOrEqual(high - low);
      }),
      { numRuns: 150 },
    );
  });
});

describe('incidents', () => {
  it.each([
    ['+++-+++', 0],
    ['++--?-+-++', 1],
    ['++--++--++', 2],
    ['+-?-+', 1],
    ['????', 0],
    ['', 0],
    ['-', 0],
    ['--', 1],
  ])('in %s are %d', (text, count) => {
    expect(incidentsIn(seen(text))).toHaveLength(count);
  });

  it('start and end within the observations, to the quarter of an hour', () => {
    expect(spans('++--?-+-++')).toEqual([[1, 3, 7, 9]]);
    expect(spans('--+')).toEqual([[null, 1]]);
  });

  it('do not depend on unknown results in between', () => {
    fc.assert(
      fc.property(signs(), (text) => {
        expect(incidentsIn(seen(text))).toHaveLength(incidentsIn(seen(text.replaceAll('?', ''))).length);
      }),
      { numRuns: 150 },
    );
  });

  it('equal a naive count, in order and without overlap', () => {
    fc.assert(
      fc.property(signs(), (text) => {
        const plain = text.replaceAll('?', '');
        let [open, count, failures] = [false, 0, 0];
        Array.from(plain).forEach((sign, at) => {
          const twice = plain[at - 1] === sign;
          if (sign === '-' && twice && !open) [open, count, failures] = [true, count + 1, failures + 1];
          else if (sign === '+' && twice) open = false;
          if (open && sign === '-') failures += 1;
        });
        const found = incidentsIn(seen(plain));
        expect(found).toHaveLength(count);
        expect(found.reduce((sum, one) => sum + one.failures, 0)).toBe(failures);
        const bounds = spans(plain)
          .flat()
          .filter((at) => at !== null);
        for (const [index, span] of spans(plain).entries()) {
          const [, down = 0, lastDown] = span;
          if (lastDown !== undefined && lastDown !== null) expect(lastDown).toBeGreaterThanOrEqual(down ?? 0);
          else expect(index).toBe(found.length - 1);
        }
        expect(bounds.every((at) => at >= 0 && at <= plain.length)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });
});

describe('a day in quarters of an hour', () => {
  it('reads its bits, and counts a quarter-hour with both outcomes as up', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 96, maxLength: 96 }), (bits) => {
        const bytes = Uint8Array.from({ length: 24 }, (_, at) =>
          [0, 1, 2, 3].reduce((byte, part) => byte | (bits[at * 4 + part]! << (part * 2)), 0),
        );
        expect(observations(bytes, MIDNIGHT)).toEqual(
          bits.flatMap((pair, at) => (pair === 0 ? [] : [{ at: MIDNIGHT + at * QUARTER, up: pair !== 2 }])),
        );
      }),
    );
  });
});

describe('a history', () => {
  it('ends yesterday, so that it changes once a day', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date(MIDNIGHT), max: new Date(MIDNIGHT + 86_399_999), noInvalidDate: true }),
        (now) => {
          expect(historyDays(now)).toEqual({ from: '2026-08-03', to: '2026-10-31' });
        },
      ),
    );
    expect((Date.parse('2026-11-01') - Date.parse('2026-08-03')) / 86_400_000).toBe(HISTORY_DAYS);
  });

  it('does not count probes that failed on our side', () => {
    const span = historyDays(new Date(MIDNIGHT));
    const counted = { up: 30, down: 0, days: [] };
    expect(historyOf({ ...counted, unknown: 24 }, span)).toEqual({
      ...historyOf({ ...counted, unknown: 0 }, span),
      unknown: 24,
    });
    expect(historyOf({ ...counted, unknown: 24 }, span)).toMatchObject({ low: 0.8864, high: 1, incidents: [] });
  });
});
