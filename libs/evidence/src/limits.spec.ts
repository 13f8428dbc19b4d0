import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { isWhole, type Answer, type Exchange } from '@app/detectors';
import { EVIDENCE_LIMITS, FREE_EVIDENCE_LIMITS, withinLimits } from './limits';

function answer(body: string, headers: Answer['headers'] = []): Answer {
  return {
    kind: 'answer',
    method: 'GET',
    url: 'https://a.example.com/',
    finalUrl: 'https://a.example.com/',
    phase: 'presence',
    observedAt: '2026-11-22T12:00:00.000Z',
    redirects: [],
    status: 200,
    headers,
    body,
    bytes: Buffer.byteLength(body),
    sha256: createHash('sha256').update(body).digest('hex'),
    truncated: false,
  };
}

/** Bodies of all lengths around the limits, of characters with one to four bytes, and incompressible data. */
const body = fc
  .record({
    unit: fc.constantFrom('a', 'é', '語', '🦀', '\u0000', '"', '\ud800'),
    units: fc.oneof(fc.nat(400), fc.integer({ min: 15_000, max: 70_000 }), fc.integer({ min: 200_000, max: 400_000 })),
  })
  .map(({ unit, units }) => unit.repeat(units));
const noise = fc
  .nat()
  .map((seed) =>
    Array.from({ length: 5_000 }, (_, i) => createHash('sha512').update(`${seed} ${i}`).digest('base64')).join(''),
  );
const exchanges = fc.array(fc.oneof({ weight: 4, arbitrary: body }, { weight: 1, arbitrary: noise }), {
  maxLength: 40,
});
const headers = fc.constantFrom<Answer['headers']>([], [['x-long', 'h'.repeat(65_000)]]);

describe.each([
  ['a probe', EVIDENCE_LIMITS],
  ['a free probe', FREE_EVIDENCE_LIMITS],
])('the evidence kept of %s', (_, limits) => {
  it('stays within its total size and each body within its own limit', () => {
    fc.assert(
      fc.property(exchanges, headers, (bodies, lines) => {
        const kept = withinLimits(
          bodies.map((text) => answer(text, lines)),
          limits,
        );
        const distinct = new Map(kept.map((one) => [(one as Answer).sha256, (one as Answer).body]));
        for (const text of distinct.values()) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(limits.body);
        const told = kept.reduce((all, one) => all + JSON.stringify({ ...one, body: '' }).length, 0);
        const read = [...distinct.values()].reduce((all, text) => all + Buffer.byteLength(text), 0);
        expect(told + read).toBeLessThanOrEqual(limits.probe);
      }),
      { numRuns: 25 },
    );
  });

  it('is the start of the body, with the position of the cut', () => {
    fc.assert(
      fc.property(body, (text) => {
        const [kept] = withinLimits([answer(text)], limits) as [Answer];
        expect(Buffer.from(text).subarray(0, Buffer.byteLength(kept.body)).equals(Buffer.from(kept.body))).toBe(true);
        const whole = Buffer.byteLength(text) <= limits.body;
        expect([kept.truncated, isWhole(kept)]).toEqual([!whole, whole]);
        expect(kept.sha256).toBe(answer(text).sha256);
      }),
      { numRuns: 60 },
    );
  });

  it('is complete if it fits', () => {
    const short: readonly Exchange[] = [answer('a'), answer('b'.repeat(1_000)), answer('a')];
    expect(withinLimits(short, limits)).toEqual(short);
  });
});
