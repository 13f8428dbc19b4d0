import fc from 'fast-check';
import { description, type Writing } from '../../../../test/support/descriptions';
import { probeSite } from '../../../../test/support/site';
import { evidence, html, json, plain, status, type Reply } from '../../../../test/support/evidence';
import { openapi } from './openapi.detector';
import { nextWave } from '../plan';
import { runDetector } from '../run-detector';

const API = {
  openapi: '3.1.0',
  info: { title: 'Lamp API', version: '1.2.0' },
  servers: [{ url: '/v1' }],
  paths: { '/lamps': { get: { responses: {} }, post: { 'x-payment-info': { price: {} } } } },
  components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'x' } } },
};
const YAML = 'openapi: 3.0.2\ninfo:\n  title: Lamp API\n  version: 1.0.0\npaths:\n  /lamps:\n    get: {}\n';
const ALIASES = Array.from({ length: 9 }, (_, i) => `x-${i + 1}: &l${i + 1} [${`*l${i},`.repeat(9)}]`).join('\n');
const at = (reply: Reply, rest?: Reply) => runDetector(openapi, evidence({ '/openapi.json': reply }, rest));
const probe = (replies: Record<string, Reply>, rest?: Reply) => runDetector(openapi, evidence(replies, rest));
const CATALOGUE = '/.well-known/api-catalog';
const notFound = {
  '/.well-known/ard.json': json({ entries: [] }),
  '/openapi.json': status(404),
  [CATALOGUE]: status(404),
  '/.well-known/openapi.json': status(404),
};
const ids = (result: ReturnType<typeof at>) =>
  ((result.cell.details['findings'] ?? []) as { id: string }[]).map((finding) => finding.id);

describe('openapi', () => {
  it('reads version, name, server and operations', () => {
    const { cell, fixes } = at(json(API));
    expect(cell).toMatchObject({ status: 'present', version: '3.1.0' });
    expect(cell.details).toMatchObject({
      name: 'Lamp API',
      keys: ['openapi', 'info', 'servers', 'paths', 'components'],
      endpoint: 'https://shop.example.com/v1',
      path: '/openapi.json',
      format: 'json',
      bytes: JSON.stringify(API).length,
      paths: 1,
      operations: 2,
      pricedOperations: 1,
      security: ['apiKey'],
    });
    expect(cell.details).not.toHaveProperty('truncated');
    expect(fixes).toEqual([]);
  });

  it.each([
    ['2.0', { swagger: '2.0', info: API.info, host: 'api.example.com', paths: {} }],
    ['3.0.4', { ...API, openapi: '3.0.4' }],
    ['3.1.1', { openapi: '3.1.1', info: API.info, webhooks: {} }],
    ['3.1.0', { openapi: '3.1.0', info: API.info, components: {} }],
    ['3.2.0', { ...API, openapi: '3.2.0', $self: 'https://shop.example.com/openapi.json' }],
    ['3.3.0', { ...API, openapi: '3.3.0' }],
  ])('accepts a description of version %s', (version, document) => {
    expect(at(json(document)).cell).toMatchObject({ status: 'present', version });
  });

  it.each([
    ['no_openapi_member', null, { info: API.info, paths: {} }],
    ['no_openapi_member', null, [API]],
    ['version_not_a_string', '3.1', { ...API, openapi: 3.1 }],
    ['version_not_a_string', '2', { swagger: 2, info: API.info, paths: {} }],
    ['unsupported_version', '1.2', { swaggerVersion: '1.2', apis: [] }],
    ['unsupported_version', '4.0.0', { ...API, openapi: '4.0.0' }],
    ['unsupported_version', '3.0.0', { swagger: '3.0.0', info: API.info, paths: {} }],
    ['info_missing', '3.1.0', { ...API, info: 'Lamp API' }],
    ['paths_missing', '3.0.0', { openapi: '3.0.0', info: API.info, components: {} }],
    ['paths_missing', '3.1.0', { openapi: '3.1.0', info: API.info }],
    ['paths_missing', '2.0', { swagger: '2.0', info: API.info }],
  ])('reports a document as partial: %s (%s)', (note, version, document) => {
    const { cell, fixes } = at(json(document));
    expect(cell).toMatchObject({ status: 'partial', version, details: { note } });
    expect(fixes.map((fix) => fix.id)).toEqual(['openapi.partial']);
  });

  it.each([
    ['prose', plain('Nothing to see.'), 'no_openapi_member'],
    ['broken YAML', plain('openapi: "3.1.0\n'), 'not_yaml'],
  ])('reports %s as partial', (_, reply, note) => {
    const { cell, fixes } = at(reply);
    expect(cell).toMatchObject({ status: 'partial', details: { note, path: '/openapi.json' } });
    expect(fixes[0]?.problem).toContain('/openapi.json');
  });

  it('reads a YAML description at the JSON path and at the YAML paths', () => {
    expect(at(plain(YAML)).cell).toMatchObject({ status: 'present', version: '3.0.2', details: { format: 'yaml' } });
    const { cell } = probe({ ...notFound, '/.well-known/openapi.yaml': plain(YAML) });
    expect(cell).toMatchObject({ status: 'present', details: { path: '/.well-known/openapi.yaml', operations: 1 } });
  });

  it('evaluates truncated JSON only if the read part is sufficient', () => {
    const text = JSON.stringify(API);
    const cut = (length: number) => at(json(text.slice(0, length), { truncated: true }));
    expect(cut(text.length - 40).cell).toMatchObject({ status: 'present', details: { truncated: true, paths: 1 } });
    expect(cut(40).cell).toMatchObject({ status: 'error', details: { reason: 'too_large' } });
    expect(cut(40).fixes).toEqual([]);
    expect(at(plain(YAML.slice(0, 20), { truncated: true })).cell).toMatchObject({
      status: 'error',
      details: { reason: 'too_large' },
    });
  });

  it('reads a description of up to five megabytes completely, in any format and field order', () => {
    const writing = fc.record<Writing>({
      format: fc.constantFrom('json', 'yaml'),
      order: fc.constantFrom('written', 'sorted', 'reversed'),
      schemas: fc.nat(50),
    });
    fc.assert(
      fc.property(writing, fc.integer({ min: 1, max: 1_000 }), (written, count) => {
        const paths = Object.fromEntries(
          Array.from({ length: count }, (_, i) => [`/lamps/${i}`, { get: {}, post: {} }]),
        );
        const reply = description(paths, written);
        const { cell } = at(reply);
        expect(reply.body!.length).toBeLessThan(5_000_000);
        expect(cell).toMatchObject({
          status: 'present',
          version: '3.1.0',
          details: { name: 'Lamp API', paths: count, operations: 2 * count, format: written.format },
        });
        expect(cell.details).not.toHaveProperty('truncated');
      }),
      {
        numRuns: 8,
        examples: [
          [{ format: 'json', order: 'sorted', schemas: 9_500 }, 1_000],
          [{ format: 'yaml', order: 'sorted', schemas: 9_500 }, 1_000],
        ],
      },
    );
  });

  it.each([
    ['JSON of more values than are read', json({ ...API, x: Array.from({ length: 600_000 }, () => 0) })],
    ['YAML denser than is read', plain(`${YAML}x: [${'0,'.repeat(60_000)}]\n`)],
    ['YAML whose aliases grow', plain(`x-0: &l0 [lol]\n${ALIASES}\n${YAML}`)],
  ])('reports %s as too large, without a fix', (_, reply) => {
    const { cell, fixes } = at(reply);
    expect(cell).toMatchObject({ status: 'error', details: { reason: 'too_large' } });
    expect(fixes).toEqual([]);
  });

  it('prefers a description elsewhere to a page at the first path', () => {
    const { cell } = probe({ '/openapi.json': html(), '/.well-known/openapi.json': json(API) });
    expect(cell).toMatchObject({ status: 'present', details: { path: '/.well-known/openapi.json' } });
  });

  it('finds a description linked by the home page, the API catalog or the plugin manifest', () => {
    const home = { '/': html(undefined, { headers: { link: '</docs/api.json>; rel="service-desc"' } }) };
    expect(probe({ ...notFound, ...home, '/docs/api.json': json(API) }).cell.status).toBe('present');
    const linkset = [{ anchor: '/', 'service-desc': [{ href: '/docs/api.json' }] }];
    const catalogue = { '/.well-known/api-catalog': json({ linkset }) };
    expect(probe({ ...notFound, ...catalogue, '/docs/api.json': json(API) }).cell.status).toBe('present');
    const plugin = { '/.well-known/ai-plugin.json': json({ api: { url: 'https://shop.example.com/docs/api.json' } }) };
    expect(probe({ ...notFound, ...plugin, '/docs/api.json': json(API) }).cell.status).toBe('present');
  });

  it('requests linked documents of the same site and YAML, and stops after finding one', () => {
    const links =
      '<https://docs.example.com/a.json>; rel=service-desc, <https://other.example.net/b>; rel=service-desc';
    const home = { '/': html(undefined, { headers: { link: links } }) };
    const wave = nextWave([openapi], 'presence', evidence({ ...notFound, ...home })).map(({ url }) => url);
    expect(wave).toEqual([
      'https://docs.example.com/a.json',
      'https://shop.example.com/.well-known/ai-plugin.json',
      'https://shop.example.com/openapi.yaml',
      'https://shop.example.com/.well-known/openapi.yaml',
    ]);
    expect(nextWave([openapi], 'presence', evidence({ ...notFound, '/openapi.json': json(API) }))).toEqual([]);
    expect(nextWave([openapi], 'presence', evidence({ ...notFound, '/openapi.json': status(503) }))).toEqual([]);
  });

  it('is absent if there is nothing, with a fix', () => {
    const { cell, fixes } = probe({ ...notFound, '/openapi.yaml': html() });
    expect(cell).toMatchObject({ status: 'absent' });
    expect((cell.details['evidence'] as unknown[]).length).toBeGreaterThanOrEqual(2);
    expect(fixes.map((fix) => fix.id)).toEqual(['openapi.missing']);
  });

  it('does not report a server card in the catalog as a faulty description', () => {
    const linkset = [{ anchor: '/mcp', 'service-desc': [{ href: '/.well-known/mcp.json' }] }];
    const card = { name: 'lamps', endpoint: '/mcp' };
    const replies = { ...notFound, [CATALOGUE]: json({ linkset }), '/.well-known/mcp.json': json(card) };
    expect(probe(replies).cell.status).toBe('absent');
    const faulty = { ...replies, '/.well-known/mcp.json': json({ ...API, info: null }) };
    expect(probe(faulty).cell).toMatchObject({ status: 'partial', details: { note: 'info_missing' } });
  });

  it('reaches a description that is only in the catalog, within the requests of a full probe', async () => {
    const linkset = [{ anchor: '/', 'service-desc': [{ href: '/docs/api.json' }] }];
    const seen = await probeSite({ [CATALOGUE]: json({ linkset }) });
    expect(seen.at('/docs/api.json')).toMatchObject({ status: 404 });
  });

  it('reads YAML that starts with a brace at every path', () => {
    const places = fc.constantFrom('/openapi.json', '/.well-known/openapi.json', '/openapi.yaml', '/v1/api');
    const version = fc.constantFrom('swagger: "2.0"', "openapi: '3.0.3'", '"openapi": 3.1.0', 'openapi: "3.2.0"');
    const opening = fc.constantFrom('{', '{ # flow style\n', ' {\n', '{\n  ', '\uFEFF{ ');
    const ending = fc.constantFrom('}', '}\n', ' ,\n}\n', '} # the end\n', '}\n...\n');
    const rest = fc.constantFrom(
      `info: { title: Lamp API, version: 1.0.0 }, paths: { /lamps: { get: { responses: { '200': { description: ok } } } } }`,
      `"info": { "title": 'Lamp API', "version": "1.0.0" },\n  # paths\n  "paths": {/lamps: {get: {}}}`,
    );
    fc.assert(
      fc.property(places, opening, version, rest, ending, (path, open, stated, members, end) => {
        const body = `${open}${stated}, ${members}${end}`;
        const home = html('<link rel="service-desc" href="/v1/api">');
        const { cell } = probe({ ...notFound, '/': home, [path]: plain(body) });
        expect([body, cell.status, cell.version]).toEqual([body, 'present', /\d[\d.]+/.exec(stated)![0]]);
        const broken = probe({ ...notFound, [path]: plain(`{ openapi: 3.1.0, paths: [`) }).cell;
        expect(broken.status).toBe(path === '/v1/api' ? 'absent' : 'partial');
      }),
      { numRuns: 80 },
    );
  });

  it('reports malformed YAML with a version as partial at every path, and ignores other text', () => {
    const { cell, fixes } = probe({ ...notFound, '/openapi.yaml': plain(`${YAML}x-tags: [a, b\n`) });
    expect(cell).toMatchObject({ status: 'partial', details: { note: 'not_yaml', path: '/openapi.yaml' } });
    expect(fixes.map((fix) => fix.id)).toEqual(['openapi.partial']);
    expect(probe({ ...notFound, '/openapi.yaml': plain('Lamps: [a, b\n') }).cell.status).toBe('absent');
  });

  it('notes faults that do not change the status', () => {
    const document = { ...API, info: {}, servers: [{ url: 'http://localhost:8080' }], paths: { lamps: {} } };
    expect(ids(at(json(document)))).toEqual([
      'info_without_title',
      'info_without_version',
      'path_without_slash',
      'no_operations',
      'local_url',
    ]);
  });
});
