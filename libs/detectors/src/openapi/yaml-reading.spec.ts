import { yamlOutline } from './yaml-outline';
import { readYaml } from './yaml-reading';

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
  it('reads a description, also behind a byte order mark and a document marker', () => {
    const value = { openapi: '3.1.0', info: { title: 'Lamps: all of them' }, paths: { '/lamps': { post: {} } } };
    expect(readYaml(`\uFEFF---\n${API}`)).toMatchObject({ ok: true, value });
  });

  it('keeps a version that YAML reads as a number a number', () => {
    expect(readYaml('openapi: 3.1\n')).toEqual({ ok: true, value: { openapi: 3.1 } });
  });

  it('builds nothing but plain data, whatever the tags say', () => {
    const reading = readYaml('a: !!js/function "x"\nd: 2001-12-14\nb: !!binary aGk=\n<<: {c: 1}\n');
    expect(reading).toEqual({ ok: true, value: { a: 'x', d: '2001-12-14', b: 'aGk=', '<<': { c: 1 } } });
  });

  it('leaves a tree of aliases that would grow without end to the outline', () => {
    const levels = Array.from({ length: 9 }, (_, i) => `l${i + 1}: &l${i + 1} [${`*l${i},`.repeat(9)}]`);
    expect(readYaml(`l0: &l0 [lol]\n${levels.join('\n')}\n`)).toEqual({ ok: false, reason: 'too_large' });
  });

  it.each([
    ['an unclosed quote', 'a: "b\n'],
    ['a stray bracket', 'a: ]\n'],
    ['an unknown alias', 'a: *b\n'],
    ['nothing', ''],
  ])('calls %s not YAML', (_, text) => {
    expect(readYaml(text)).toEqual({ ok: false, reason: 'not_yaml' });
  });

  it.each([
    ['explicit keys', `a:\n  ${'? '.repeat(1_000)}`],
    ['flow mappings', `a: ${'{'.repeat(10_000)}`],
    ['flow sequences', `a: ${'['.repeat(10_000)}`],
    ['block sequences', '- '.repeat(10_000)],
    ['tokens', 'a: 1\n'.repeat(10_000)],
    ['octets', 'a'.repeat(100_000)],
  ])('leaves a text with too many %s to the outline', (_, text) => {
    expect(readYaml(text)).toEqual({ ok: false, reason: 'too_large' });
  });
});

describe('yamlOutline', () => {
  it('reads root members, info, the server and the methods of each path from the lines', () => {
    expect(yamlOutline(API)).toEqual({
      openapi: '3.1.0',
      info: { title: 'Lamps: all of them', version: '1.0.0' },
      servers: [{ url: 'https://api.shop.example.com/v1' }],
      paths: { '/lamps': { get: {}, post: {} }, '/lamps/{id}': { get: {} } },
      components: {},
    });
  });

  it('agrees with the parser on what a description is', () => {
    const { openapi, info, servers } = yamlOutline(API.repeat(1).replace(/\n/g, '\r\n'));
    const parsed = readYaml(API);
    expect(parsed).toMatchObject({ ok: true, value: { openapi, servers } });
    expect(info).toMatchObject({ title: 'Lamps: all of them' });
  });

  it('finds nothing in prose and gives __proto__ no power', () => {
    expect(yamlOutline('Hello.\nThis is not a description.\n')).toEqual({});
    expect(yamlOutline('__proto__:\n  polluted: true\n')).toEqual({});
  });
});
