import { interval } from '@app/reports';
import fc from 'fast-check';
import { availabilityOf, incidentText } from './availability';

const SPAN = { from: '2026-08-03', to: '2026-10-31', incidents: [] };

describe('availability in words', () => {
  it('always shows a percentage with its number of checks and its interval', () => {
    const count = fc.integer({ min: 0, max: 4_000 });
    fc.assert(
      fc.property(count, count, count, (up, down, unknown) => {
        const said = availabilityOf({ ...SPAN, up, down, unknown, ...interval(up, up + down) });
        const shares = [...said.matchAll(/([\d.]+) %/g)].map(([, share]) => Number(share));
        expect(shares).toHaveLength(up + down === 0 ? 0 : 3);
        if (up + down === 0) return;
        expect(said).toContain(`${up} of ${up + down} scheduled checks`);
        expect(shares[0]).toBeLessThanOrEqual((100 * up) / (up + down));
        expect(shares[1]).toBeGreaterThanOrEqual((100 * up) / (up + down));
        expect(said.includes('on our side')).toBe(unknown > 0);
      }),
      { numRuns: 500 },
    );
  });

  it('says when a host was down, and whether it still is', () => {
    const at = (hour: string) => `2026-10-01T${hour}:00:00.000Z`;
    const ended = { beginsBetween: [at('01'), at('02')], endsBetween: [at('03'), at('04')], failures: 2 } as const;
    expect(incidentText(ended)).toBe(
      'Went down between 2026-10-01 01:00 UTC and 2026-10-01 02:00 UTC, back up between 2026-10-01 03:00 UTC and 2026-10-01 04:00 UTC; 2 checks failed.',
    );
    expect(incidentText({ ...ended, beginsBetween: [null, at('02')], endsBetween: null })).toBe(
      'Went down before 2026-10-01 02:00 UTC, not back up yet; 2 checks failed.',
    );
  });
});
