import * as fc from 'fast-check';
import { defined } from './defined';

describe('defined', () => {
  it('keeps the properties that JSON includes, in order', () => {
    const members = fc.dictionary(fc.string(), fc.option(fc.jsonValue(), { nil: undefined }));
    fc.assert(
      fc.property(members, (value) => {
        expect(JSON.stringify(defined(value))).toBe(JSON.stringify({ ...value }));
        expect(Object.values(defined(value))).not.toContain(undefined);
      }),
    );
  });

  it('keeps null, false, zero and the empty string', () => {
    expect(defined({ a: null, b: false, c: 0, d: '', e: undefined })).toStrictEqual({ a: null, b: false, c: 0, d: '' });
  });
});
