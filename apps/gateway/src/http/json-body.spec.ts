import fc from 'fast-check';
import { isDeeper } from './json-body';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

describe('the depth of JSON', () => {
  it('equals the depth of the parsed value, whatever its strings contain', () => {
    const strings = fc.oneof(fc.string(), fc.constantFrom('[[[', '"{', '\\"]', '\\'));
    const value = fc.object({ key: strings, values: [strings, fc.integer()], maxDepth: 5, withNullPrototype: false });
    fc.assert(
      fc.property(value, fc.boolean(), (one, spaced) => {
        const text = JSON.stringify(one, null, spaced ? 2 : 0);
        const depth = depthOf(JSON.parse(text));
        expect([isDeeper(text, depth), isDeeper(text, depth - 1)]).toEqual([false, depth > 0]);
      }),
    );
  });
});
