import * as fc from 'fast-check';
import { claimStatement, isTimely, STATEMENT_MS } from './statement';

const NOW = new Date('2026-11-23T16:00:00.000Z');
const hex = fc.stringMatching(/^[0-9a-f]{64}$/);
const stated = fc.record({
  domain: fc.domain(),
  keyHash: hex,
  service: fc.webUrl({ validSchemes: ['https'] }),
  nonce: hex,
});
const later = fc.integer({ min: 1, max: STATEMENT_MS }).map((ms) => new Date(NOW.getTime() + ms).toISOString());

describe('the statement of a claim', () => {
  it('is another one for every other host, key, service, challenge and time', () => {
    fc.assert(
      fc.property(stated, stated, later, later, (one, other, soon, then) => {
        for (const member of ['domain', 'keyHash', 'service', 'nonce'] as const) {
          fc.pre(one[member] !== other[member]);
          expect(claimStatement({ ...one, [member]: other[member] }, soon)).not.toBe(claimStatement(one, soon));
        }
        fc.pre(soon !== then);
        expect(claimStatement(one, soon)).not.toBe(claimStatement(one, then));
        expect(claimStatement(one, soon).split('\n')).toHaveLength(6);
      }),
    );
  });

  it('holds for ten minutes at most, and not after its time', () => {
    fc.assert(
      fc.property(fc.integer({ min: -2 * STATEMENT_MS, max: 3 * STATEMENT_MS }), (ms) => {
        const expires = new Date(NOW.getTime() + ms).toISOString();
        expect(isTimely(expires, NOW)).toBe(ms > 0 && ms <= STATEMENT_MS);
      }),
    );
  });

  it('takes no time that is written otherwise, which could carry another line', () => {
    fc.assert(
      fc.property(later, fc.string({ minLength: 1 }), fc.nat(24), (expires, added, at) => {
        expect(isTimely(expires.slice(0, at) + added + expires.slice(at), NOW)).toBe(false);
        expect(isTimely(added, NOW)).toBe(false);
      }),
    );
  });
});
