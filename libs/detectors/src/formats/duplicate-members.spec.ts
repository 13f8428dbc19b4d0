import { duplicateMembers } from './duplicate-members';

describe('duplicateMembers', () => {
  it.each([
    ['a flat object', '{"a":1,"b":2,"a":3}', ['a']],
    ['a nested object', '{"ucp":{"version":"x","services":{},"version":"y"}}', ['ucp.version']],
    ['an object in an array', '[{"a":1},{"a":1,"a":2}]', ['a']],
    ['an escaped spelling of the same name', '{"\\u0061":1,"a":2}', ['a']],
    ['a name that holds a quote', '{"a\\"b":1,"a\\"b":2}', ['a"b']],
  ])('finds the duplicate field in %s', (_, text, expected) => {
    expect(duplicateMembers(text)).toEqual(expected);
  });

  it.each([
    ['the same name in two objects', '{"a":{"x":1},"b":{"x":1}}'],
    ['a value equal to a name', '{"a":"b","b":"a"}'],
    ['braces inside strings', '{"a":"{\\"a\\":1,\\"a\\":2}"}'],
    ['no object at all', '"a"'],
    ['text that is not JSON', '{"a'],
  ])('finds nothing in %s', (_, text) => {
    expect(duplicateMembers(text)).toEqual([]);
  });

  it('reports at most ten duplicate fields', () => {
    const members = Array.from({ length: 50 }, (_, i) => `"m${i}":1,"m${i}":2`).join(',');
    expect(duplicateMembers(`{${members}}`)).toHaveLength(10);
  });
});
