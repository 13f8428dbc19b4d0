import { jsonOutline } from './json-outline';

describe('jsonOutline', () => {
  const document = {
    openapi: '3.1.0',
    info: { title: 'Lamps "of" \\ Rome', version: '1', n: [1, -2.5e3, true, null] },
    paths: { '/a': { get: { responses: { 200: { description: { deep: [{}] } } } } } },
    tags: [],
  };

  it('keeps five levels and empties what lies deeper', () => {
    expect(jsonOutline(`\uFEFF${JSON.stringify(document, null, 2)}`)).toEqual({
      ...document,
      paths: { '/a': { get: { responses: { 200: {} } } } },
    });
  });

  it('keeps what was read of a cut text, whatever the place of the cut', () => {
    const whole = JSON.stringify(document);
    for (let cut = 1; cut < whole.length; cut += 1) {
      const outline = jsonOutline(whole.slice(0, cut));
      expect(outline).toBeDefined();
      if (cut > 20) expect(outline).toMatchObject({ openapi: '3.1.0' });
    }
  });

  it('stops at the first fault and refuses anything but an object', () => {
    expect(jsonOutline('{"a":1,"b":oops,"c":2}')).toEqual({ a: 1 });
    expect(jsonOutline('{"a":1 "b":2}')).toEqual({ a: 1 });
    for (const text of ['', '[{"a":1}]', '"text"', 'null', '<html>']) expect(jsonOutline(text)).toBeUndefined();
  });

  it('gives __proto__ no power', () => {
    expect(Object.getPrototypeOf(jsonOutline('{"__proto__":{"polluted":true}}'))).toBe(Object.prototype);
  });

  it.each([
    ['objects', '{"a":'],
    ['arrays', '{"a":['],
    ['brackets', '['],
  ])('passes over %s nested a hundred thousand deep', (_, piece) => {
    expect(() => jsonOutline(`{"first":1,"second":${piece.repeat(100_000)}`)).not.toThrow();
  });
});
