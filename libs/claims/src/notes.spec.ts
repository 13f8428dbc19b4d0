import * as fc from 'fast-check';
import { CLAIM_LEVELS, claimStatus } from './claim';
import { shownContact } from './notes';

const NOW = new Date('2026-11-23T00:00:00.000Z');
const DAY = 86_400_000;
const ago = (days: number): Date => new Date(NOW.getTime() - days * DAY);

const claim = fc
  .record({
    level: fc.constantFrom(null, ...CLAIM_LEVELS),
    seen: fc.nat(17),
    since: fc.constantFrom(0, 0.001, 1, 29, 40),
    missing: fc.boolean(),
    contact: fc.constantFrom(null, 'a@example.com', 'b@example.com', 'https://example.com/'),
    target: fc.constantFrom(null, 'claims.example.net'),
  })
  .map(({ level, seen, since, ...rest }) => ({
    ...{ ...rest, level, confirmMs: 600_000, createdAt: ago(60) },
    lastSeenAt: level && ago(seen),
    levelSince: level && ago(seen + since),
  }));

describe('the contact of a host', () => {
  it('is one of a verified claim that shows control best, and else none', () => {
    fc.assert(
      fc.property(fc.array(claim, { maxLength: 5 }), (claims) => {
        const shown = shownContact(claims, NOW);
        const giving = claims.filter((one) => one.contact !== null && claimStatus(one, NOW) === 'verified');
        const [best] = CLAIM_LEVELS.flatMap((level) => giving.filter((one) => one.level === level));
        const target = best?.level === 'dns-delegated' ? best.target : null;
        expect(shown).toEqual(best ? { contact: best.contact, level: best.level, target } : null);
      }),
      { numRuns: 2_000 },
    );
  });
});
