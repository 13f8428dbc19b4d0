import fc from 'fast-check';
import { fix } from '../../../test/support/report';
import { gainOfFix, inFixOrder } from './fix-order';
import { EFFORTS } from './judgement/gain';
import { DETECTOR_IDS, DETECTORS } from './registry';
import type { Fix } from './run-detector';

const anyFix = fc
  .record({
    protocol: fc.constantFrom(...DETECTOR_IDS, 'gone'),
    kind: fc.constantFrom('missing', 'partial', 'unpayable', 'private_key', 'legacy_path', 'new_kind'),
    priority: fc.constantFrom<Fix['priority']>(1, 2, 3),
    effort: fc.constantFrom(...EFFORTS),
  })
  .map(({ protocol, kind, priority, effort }): Fix => ({ ...fix(protocol, kind), priority, effort }));

const RETIRED = DETECTORS.filter((detector) => 'retired' in detector && detector.retired).map(({ id }) => id as string);

/** Whether `a` may come before `b`. */
function mayPrecede(a: Fix, b: Fix): boolean {
  const last = (one: Fix) => RETIRED.includes(one.protocol) && one.priority > 1;
  if (last(a) !== last(b)) return last(b);
  if (a.priority !== b.priority) return a.priority < b.priority;
  const missing = (one: Fix) => one.id.endsWith('.missing');
  return missing(a) === missing(b) || missing(b);
}

describe('the order of fixes', () => {
  it('is payment, discovery, the rest; faults before absences; retired protocols last', () => {
    fc.assert(
      fc.property(fc.array(anyFix, { maxLength: 30 }), (fixes) => {
        const ordered = inFixOrder(fixes);
        expect(new Set(ordered)).toEqual(new Set(fixes));
        ordered.slice(1).forEach((later, i) => {
          expect(mayPrecede(ordered[i]!, later)).toBe(true);
        });
        expect(inFixOrder(ordered)).toEqual(ordered);
      }),
      { numRuns: 400 },
    );
  });

  it('does not depend on the input order, except for equal ids', () => {
    const ids = DETECTOR_IDS.flatMap((id) => ['missing', 'partial'].map((kind) => `${id}.${kind}`));
    const all = ids.map((id): Fix => ({ ...fix(id.split('.')[0]!, id.split('.')[1]), ...gainOfFix(id) }));
    fc.assert(
      fc.property(fc.shuffledSubarray(all, { minLength: all.length }), (shuffled) => {
        expect(inFixOrder(shuffled)).toEqual(inFixOrder(all));
      }),
    );
    expect(
      inFixOrder(all)
        .slice(-2)
        .map(({ protocol }) => protocol),
    ).toEqual(['ai-plugin', 'ai-plugin']);
    expect(inFixOrder(all)[0]).toMatchObject({ priority: 1, effort: 'minutes' });
  });

  it('says for any fix of a retired protocol that it is retired', () => {
    expect(RETIRED).toEqual(['ai-plugin']);
    for (const kind of ['missing', 'partial']) expect(gainOfFix(`ai-plugin.${kind}`).why).toMatch(/^Retired: /);
  });

  it('has a gain for every id, even of a removed detector', () => {
    for (const id of ['gone.missing', 'nonsense', '', 'ucp.', 'constructor.toString']) {
      expect(gainOfFix(id)).toMatchObject({ priority: expect.any(Number), effort: expect.any(String) });
    }
    expect(gainOfFix('a2a.private_key').priority).toBe(1);
  });
});
