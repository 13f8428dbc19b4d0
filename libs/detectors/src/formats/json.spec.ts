import fc from 'fast-check';
import { isObject, list, readCutJson, readJson, type JsonValue } from './json';

/** Whether `part` contains nothing that `whole` does not contain. */
function isPartOf(part: JsonValue | undefined, whole: JsonValue | undefined): boolean {
  const items = list(part);
  if (items) return items.every((item, i) => isPartOf(item, list(whole)?.[i]));
  if (isObject(part)) {
    return Object.entries(part).every(([name, value]) => isObject(whole) && isPartOf(value, whole[name]));
  }
  return Object.is(part, whole) || part === whole;
}

describe('readJson', () => {
  it.each([
    ['nested a hundred thousand deep', '['.repeat(100_000)],
    ['of more values than are read', `[${'1,'.repeat(600_000)}1]`],
  ])('reports a text %s as too large, valid or not', (_, text) => {
    expect(readJson(text)).toEqual({ ok: false, reason: 'too_large' });
    expect(readCutJson(text)).toBeUndefined();
  });

  it('parses smaller texts like JSON.parse', () => {
    const text = fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map((json) => json.replace(/[,:]/, ';')),
    );
    fc.assert(
      fc.property(text, (source) => {
        let value: { value: unknown } | undefined;
        try {
          value = { value: JSON.parse(source) };
        } catch {
          value = undefined;
        }
        expect(readJson(source)).toEqual(value ? { ok: true, ...value } : { ok: false, reason: 'not_json' });
      }),
    );
  });
});

describe('readCutJson', () => {
  it('returns a subset of the original for a truncated text', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(4), (value, share, indent) => {
        const text = JSON.stringify(value, null, indent);
        const whole = JSON.parse(text) as JsonValue;
        const cut = text.slice(0, Math.floor(share * text.length));
        expect(isPartOf(readCutJson(cut) ?? [], whole) || readCutJson(cut) === undefined).toBe(true);
        expect(readCutJson(text.slice(0, -1)) === undefined || isPartOf(readCutJson(text.slice(0, -1)), whole)).toBe(
          true,
        );
      }),
      { numRuns: 500 },
    );
  });

  it('keeps each complete entry', () => {
    const text = '{"a":{"b":[1,{"c":"x,}"},2]},"d":[';
    expect(readCutJson(text)).toEqual({ a: { b: [1, { c: 'x,}' }, 2] } });
    expect(readCutJson(text.slice(0, 24))).toEqual({ a: { b: [1, { c: 'x,}' }] } });
    expect(readCutJson(text.slice(0, 20))).toEqual({ a: { b: [1] } });
    expect(readCutJson('{"a":1')).toBeUndefined();
  });

  it('rejects invalid JSON before the cut', () => {
    expect(readCutJson('{"a":1,"b":oops,"c":')).toBeUndefined();
    for (const text of ['', '{', '<html>']) expect(readCutJson(text)).toBeUndefined();
  });

  it('treats __proto__ as an ordinary name', () => {
    expect(Object.getPrototypeOf(readCutJson('{"__proto__":{"polluted":true},'))).toBe(Object.prototype);
  });
});
