import { readCutYaml, readYaml } from './yaml';

const API = `# lamps
openapi: "3.1.0" # version
info:
  title: 'Lamps: all of them'
  description: |
    title: not this one
  version: 1.0.0
servers:
  - url: https://api.shop.example.com/v1
paths:
  /lamps:
    get:
      summary: List
    post: {}
  "/lamps/{id}":
    get:
      responses:
        get: {}
components:
  schemas: {}
`;

describe('readYaml', () => {
  it('parses a description, also after a byte order mark and a document marker', () => {
    const value = { openapi: '3.1.0', info: { title: 'Lamps: all of them' }, paths: { '/lamps': { post: {} } } };
    expect(readYaml(`\uFEFF---\n${API}`)).toMatchObject({ ok: true, value });
  });

  it('returns a number for a version that YAML treats as one', () => {
    expect(readYaml('openapi: 3.1\n')).toEqual({ ok: true, value: { openapi: 3.1 } });
  });

  it('only builds plain data, with any tags', () => {
    const reading = readYaml('a: !!js/function "x"\nd: 2001-12-14\nb: !!binary aGk=\n<<: {c: 1}\n');
    expect(reading).toEqual({ ok: true, value: { a: 'x', d: '2001-12-14', b: 'aGk=', '<<': { c: 1 } } });
  });

  it('reports exponential and recursive aliases as too large', () => {
    const levels = Array.from({ length: 9 }, (_, i) => `l${i + 1}: &l${i + 1} [${`*l${i},`.repeat(9)}]`);
    expect(readYaml(`l0: &l0 [lol]\n${levels.join('\n')}\n`)).toEqual({ ok: false, reason: 'too_large' });
    expect(readYaml('a: &a [*a]\n')).toEqual({ ok: false, reason: 'too_large' });
  });

  it.each(['a long text', 'a long name'])('reports many aliases of %s as too large, and accepts a few', (what) => {
    const long = 'long '.repeat(20_000).trim();
    const reasonOf = (times: number): string => {
      const reading = readYaml(
        `a: &a ${what === 'a long text' ? long : `{ ? ${long} : 1 }`}\nb: [${'*a,'.repeat(times)}]\n`,
      );
      return reading.ok ? 'read' : reading.reason;
    };
    expect(reasonOf(5)).toBe('read');
    expect(reasonOf(1_000)).toBe('too_large');
  });

  it.each([
    ['an unclosed quote', 'a: "b\n'],
    ['a stray bracket', 'a: ]\n'],
    ['an unknown alias', 'a: *b\n'],
    ['nothing', ''],
  ])('reports %s as invalid', (_, text) => {
    expect(readYaml(text)).toEqual({ ok: false, reason: 'not_yaml' });
  });

  it.each([
    ['nested explicit keys', `a:\n  ${'? '.repeat(1_000)}`],
    ['nested flow mappings', `a: ${'{'.repeat(10_000)}`],
    ['nested flow sequences', `a: ${'['.repeat(10_000)}`],
    ['nested block sequences', '- '.repeat(10_000)],
    ['entries for its length', 'a: 1\n'.repeat(30_000)],
    ['flow entries for its length', `a: [${'1,'.repeat(30_000)}]`],
  ])('reports a text with too many %s as too large', (_, text) => {
    expect(readYaml(text)).toEqual({ ok: false, reason: 'too_large' });
  });

  it('uses the first of several documents and the last of equal keys', () => {
    expect(readYaml('a: 1\na: 2\n---\nb: 1\n')).toEqual({ ok: true, value: { a: 2 } });
  });

  it('treats __proto__ as an ordinary name', () => {
    const reading = readYaml('__proto__:\n  polluted: true\n');
    expect(reading.ok && Object.getPrototypeOf(reading.value)).toBe(Object.prototype);
    expect({}).not.toHaveProperty('polluted');
  });
});

describe('readCutYaml', () => {
  it('keeps the complete entries of a truncated text, for any position of the cut', () => {
    for (let cut = API.indexOf('paths'); cut < API.length; cut += 1) {
      expect(readCutYaml(API.slice(0, cut))).toMatchObject({
        openapi: '3.1.0',
        info: { version: '1.0.0' },
      });
    }
  });
});
