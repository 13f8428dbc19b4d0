import fc from 'fast-check';
import { canonicalJson } from './payload-forms';
import { readJson } from '../formats/json';

const canonical = (text: string): string | undefined => {
  const reading = readJson(text);
  return reading.ok ? canonicalJson(reading.value) : undefined;
};

describe('canonicalJson', () => {
  it('serializes the example of RFC 8785 section 3.2.2 as in section 3.2.3', () => {
    const example = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`;
    expect(canonical(example)).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  it('sorts fields by UTF-16 code units (RFC 8785 section 3.2.3)', () => {
    const names = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6'];
    const sorted = ['\r', '1', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude00', '\ufb33'];
    const object = (list: readonly string[]) => `{${list.map((name) => `${JSON.stringify(name)}:0`).join(',')}}`;
    expect(canonical(object(names))).toBe(object(sorted));
  });

  it.each([
    ['-0', '0'],
    ['1e21', '1e+21'],
    ['100000000000000000000', '100000000000000000000'],
    ['5e-324', '5e-324'],
    ['9007199254740993', '9007199254740992'],
    ['{"__proto__":{"b":1,"a":2},"a":1}', '{"__proto__":{"a":2,"b":1},"a":1}'],
  ])('writes %s as %s', (text, expected) => {
    expect(canonical(text)).toBe(expected);
  });

  it.each([
    ['a number beyond IEEE 754', '{"a":[1e400]}'],
    ['half a surrogate pair in a value', String.raw`["\ud83d"]`],
    ['half a surrogate pair in a name', String.raw`{"\ude00":1}`],
  ])('has no canonical form for %s', (_, text) => {
    expect(canonical(text)).toBeUndefined();
  });

  it('preserves a value and is unique for it', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(JSON.parse(text ?? '')).toEqual(JSON.parse(JSON.stringify(value)));
        expect(canonical(text ?? '')).toBe(text);
      }),
    );
  });
});
