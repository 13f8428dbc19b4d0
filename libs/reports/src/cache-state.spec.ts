import fc from 'fast-check';
import { cacheState, secondsToNextFlip } from './cache-state';

const NOW = new Date('2026-11-02T12:00:00.000Z');
const ago = (sec: number) => new Date(NOW.getTime() - sec * 1_000).toISOString();
const flags = (probed?: number, called?: number) => {
  const { presenceStale, callabilityStale } = cacheState(clocks(probed, called), NOW);
  return [presenceStale, callabilityStale];
};
const clocks = (probed?: number, called?: number) => ({
  ...(probed === undefined ? {} : { probedAt: ago(probed) }),
  ...(called === undefined ? {} : { callabilityProbedAt: ago(called) }),
});

describe('cacheState', () => {
  it('states the two max ages', () => {
    expect(cacheState({}, NOW)).toEqual({
      presenceMaxAgeSec: 86_400,
      callabilityMaxAgeSec: 900,
      presenceStale: true,
      callabilityStale: true,
    });
  });

  it.each([
    ['no clocks', undefined, undefined, [true, true]],
    ['a presence probe only', 10, undefined, [false, true]],
    ['a full refresh', 10, 10, [false, false]],
    ['exactly the max ages', 86_400, 900, [false, false]],
    ['a millisecond more', 86_400.001, 900.001, [true, true]],
    ['a clock ahead of ours', -5, -5, [false, false]],
  ])('with %s', (_, probed, called, expected) => {
    expect(flags(probed, called)).toEqual(expected);
  });

  it('treats an invalid timestamp as missing', () => {
    expect(cacheState({ probedAt: 'yesterday' }, NOW).presenceStale).toBe(true);
  });
});

describe('secondsToNextFlip', () => {
  it.each([
    ['the callability flag changes first', 100, 100, 800],
    ['the presence flag changes first', 86_390, 0, 10],
    ['no stale flag changes any more', 100, 901, 86_300],
    ['the change is due exactly at the max age', 100, 900, 0],
    ['fractions are rounded down', 100, 899.4, 0],
    ['nothing changes by age alone', 90_000, undefined, Infinity],
  ])('%s', (_, probed, called, expected) => {
    expect(secondsToNextFlip(clocks(probed, called), NOW)).toBe(expected);
  });

  it('ends at most a second before the flags change', () => {
    const age = fc.option(fc.integer({ min: 0, max: 100_000_000 }), { nil: undefined });
    fc.assert(
      fc.property(age, age, (probedMs, calledMs) => {
        const set = clocks(
          probedMs === undefined ? undefined : probedMs / 1_000,
          calledMs === undefined ? undefined : calledMs / 1_000,
        );
        const seconds = secondsToNextFlip(set, NOW);
        if (seconds === Infinity) return;
        const later = (sec: number) => cacheState(set, new Date(NOW.getTime() + sec * 1_000));
        expect(later(seconds)).toEqual(cacheState(set, NOW));
        expect(later(seconds + 1.001)).not.toEqual(cacheState(set, NOW));
      }),
    );
  });
});
