import { evidence, failure, html, json, plain, status, type Reply } from '../../../../test/support/evidence';
import { runDetector } from '../run-detector';
import { ucp } from './ucp.detector';

const CACHED = { headers: { 'cache-control': 'public, max-age=3600', etag: '"1"' } };
const HOST = 'https://shop.example.com';

type Json = Record<string, unknown>;

const P256 = {
  kty: 'EC',
  crv: 'P-256',
  x: 'DnN5s-QKkKCqF_Ku1gc9AcUv8XiKZdmBTMzUs_KDJY8',
  y: 'r9E5aOyKZgbHsGpprJ-DTX7501PHkIdHvoCjmyP51Mg',
};
const ED25519 = { kty: 'OKP', crv: 'Ed25519', x: 'wxQmWdK7PN9YuRd0x9neqdyU8Ci8id-P0wILkQNYN3o' };

/**
 * A valid profile of release 2026-08-25 with every transport, a capability and its extension, a handler and two keys.
 */
function current(ucpMembers: Json = {}, root: Json = {}): Json {
  const version = '2026-08-25';
  const schema = (name: string) => `https://ucp.dev/${version}/schemas/${name}.json`;
  const at = (transport: string, path: string) => ({ version, transport, endpoint: `${HOST}${path}` });
  return {
    ucp: {
      version,
      services: {
        'dev.ucp.shopping': [
          at('mcp', '/ucp/mcp'),
          at('rest', '/ucp/v1'),
          at('a2a', '/.well-known/agent-card.json'),
          { version, transport: 'embedded' },
        ],
      },
      capabilities: {
        'dev.ucp.shopping.checkout': [{ version, schema: schema('shopping/checkout') }],
        'dev.ucp.shopping.discount': [
          { version, schema: schema('shopping/discount'), extends: 'dev.ucp.shopping.checkout' },
        ],
      },
      payment_handlers: {
        'com.example.shop.tokens': [
          {
            id: 'tokens',
            version: '2026-05-01',
            schema: 'https://shop.example.com/tokens.json',
            available_instruments: [{ type: 'card' }],
          },
        ],
      },
      ...ucpMembers,
    },
    keys: [
      { ...ED25519, kid: 'k1', alg: 'EdDSA' },
      { ...P256, kid: 'k2', alg: 'ES256' },
    ],
    ...root,
  };
}

/** A valid profile of release 2026-01-11. */
function legacy(ucpMembers: Json = {}, root: Json = {}): Json {
  const version = '2026-01-11';
  const spec = 'https://ucp.dev/specification/checkout';
  return {
    ucp: {
      version,
      services: {
        'dev.ucp.shopping': {
          version,
          spec,
          rest: { schema: 'https://ucp.dev/services/rest.json', endpoint: `${HOST}/ucp/v1` },
          a2a: { endpoint: `${HOST}/.well-known/agent-card.json` },
        },
      },
      capabilities: [
        { name: 'dev.ucp.shopping.checkout', version, spec, schema: 'https://ucp.dev/schemas/checkout.json' },
      ],
      ...ucpMembers,
    },
    payment: {
      handlers: [
        {
          id: 'pay',
          name: 'com.example.pay',
          version,
          spec: 'https://example.com/pay',
          config_schema: 'https://example.com/config.json',
          instrument_schemas: ['https://example.com/card.json'],
          config: {},
        },
      ],
    },
    signing_keys: [{ ...P256, kid: 'k1', alg: 'ES256' }],
    ...root,
  };
}

/** A copy of a document without some of its fields. */
const omit = (document: Json, ...names: string[]): Json =>
  Object.fromEntries(Object.entries(document).filter(([name]) => !names.includes(name)));

const probe = (replies: Record<string, Reply>, rest?: Reply) => runDetector(ucp, evidence(replies, rest));
const at = (document: unknown, more: Reply = CACHED) => probe({ '/.well-known/ucp': json(document, more) });
const ids = (result: ReturnType<typeof probe>) =>
  ((result.cell.details['findings'] ?? []) as { id: string }[]).map(({ id }) => id);
const profileOf = (result: ReturnType<typeof probe>) => result.cell.details['profile'];
const fixIds = (result: ReturnType<typeof probe>) => result.fixes.map(({ id }) => id);

describe('ucp: releases by shape', () => {
  const january = (): Json => ({
    ...omit(
      current({
        version: '2026-01-23',
        services: { 'dev.ucp.shopping': [{ version: '2026-01-23', transport: 'rest', endpoint: `${HOST}/v1` }] },
        payment_handlers: {},
      }),
      'keys',
    ),
    signing_keys: [],
  });
  const april = (): Json => ({
    ...january(),
    ucp: { ...(january()['ucp'] as Json), version: '2026-04-08', supported_versions: {} },
  });

  it.each([
    ['2026-01-11', legacy(), 'array-2026-01-11', ['2026-01-11']],
    ['2026-01-23', january(), 'registry', ['2026-01-23', '2026-04-08']],
    ['2026-04-08', april(), 'registry', ['2026-04-08']],
    ['2026-08-25', current(), 'registry', ['2026-08-25']],
  ])('recognises %s', (version, document, shape, releases) => {
    const result = at(document);
    expect(result.cell).toMatchObject({ status: 'present', version, details: { releases, profile: { shape } } });
    expect(ids(result)).toEqual([]);
    expect(result.fixes).toEqual([]);
  });

  it('reports the content of the profile, preferring REST to MCP', () => {
    const { cell } = at(current());
    expect(cell.details).toMatchObject({ keys: ['ucp', 'keys'], endpoint: `${HOST}/ucp/v1` });
    expect(cell.details['profile']).toEqual({
      version: '2026-08-25',
      shape: 'registry',
      endpoint: `${HOST}/ucp/v1`,
      transports: ['rest', 'mcp', 'a2a', 'embedded'],
      capabilities: ['dev.ucp.shopping.checkout', 'dev.ucp.shopping.discount'],
      paymentHandlers: ['com.example.shop.tokens'],
      signingKeys: 2,
      supportedVersions: [],
      findings: [],
    });
  });

  it('uses the shape if the date belongs to another release, with a finding', () => {
    expect(ids(at(current({ version: '2026-01-11' })))).toContain('shape_of_other_release');
    expect(ids(at(current({ version: '2026-02-30' })))).not.toContain('shape_of_other_release');
    expect(ids(at(legacy({}, { keys: [] })))).not.toContain('shape_of_other_release');
  });

  it('accepts a profile that mixes both shapes with a finding', () => {
    const result = at(legacy({ payment_handlers: {} }));
    expect(result.cell).toMatchObject({ status: 'present', details: { profile: { shape: 'mixed' } } });
    expect(ids(result)).toContain('mixed_shape');
  });

  it('accepts a 2026-01-11 profile without payment and keys', () => {
    expect(at(omit(legacy(), 'payment', 'signing_keys')).cell.status).toBe('present');
  });

  it('accepts a byte order mark with a finding', () => {
    const result = at(`\uFEFF${JSON.stringify(current())}`);
    expect([result.cell.status, ids(result)]).toEqual(['present', ['byte_order_mark']]);
  });
});

describe('ucp: partial', () => {
  const without = (document: Json, name: string) => ({ ...document, ucp: omit(document['ucp'] as Json, name) });

  it.each([
    ['an array', [1], 'not_an_object'],
    ['a scalar', '"2026-08-25"', 'not_json'],
    ['no ucp member', { ucp_version: '1.0', services: [] }, 'no_ucp_member'],
    ['a ucp string', { ucp: '1.0' }, 'ucp_not_an_object'],
    ['no version', without(current(), 'version'), 'version_not_a_date'],
    ['a template version', current({ version: '{{ ucp_version }}' }), 'version_not_a_date'],
    ['an impossible date', current({ version: '2026-02-30' }), 'version_not_a_date'],
    ['a date far ahead', current({ version: '2027-11-03' }), 'version_in_the_future'],
    ['no services', without(current(), 'services'), 'no_service'],
    ['empty services', current({ services: {} }), 'no_service'],
    ['path strings for services', current({ services: { checkout: '/api' } }), 'no_service'],
    ['bindings without a transport', current({ services: { 'dev.ucp.shopping': [{ version: '1' }] } }), 'no_service'],
    [
      'a service name that is not a domain',
      current({ services: { shopping: [{ version: '2026-08-25', transport: 'rest', endpoint: HOST }] } }),
      'service_name_invalid',
    ],
    ['capabilities as text', current({ capabilities: 'checkout' }), 'capabilities_malformed'],
    ['capabilities as strings', legacy({ capabilities: ['dev.ucp.shopping.checkout'] }), 'capabilities_malformed'],
    ['a 2026-01-11 profile without capabilities', without(legacy(), 'capabilities'), 'missing_capabilities'],
    ['no payment handlers', without(current(), 'payment_handlers'), 'missing_payment_handlers'],
    ['payment handlers as an array', current({ payment_handlers: [] }), 'missing_payment_handlers'],
  ])('reports %s as partial, with the fault and a fix', (_, document, note) => {
    const result = at(document);
    expect(result.cell).toMatchObject({ status: 'partial', details: { note } });
    expect(fixIds(result)).toContain('ucp.partial');
  });

  it.each([301, 302, 303, 307, 308])(
    'follows a %i, which agents must not do, and reports it as partial with its own fix',
    (code) => {
      const redirects = [{ status: code, location: 'https://www.shop.example.com/.well-known/ucp' }];
      const result = at(current(), { ...CACHED, redirects });
      expect(result.cell).toMatchObject({ status: 'partial', details: { note: 'redirected' } });
      expect(fixIds(result)).toEqual(['ucp.redirect']);
      expect(result.fixes[0]?.problem).toContain('https://www.shop.example.com/.well-known/ucp');
    },
  );
});

describe('ucp: absent and error', () => {
  it('is absent on 404, with the evidence, one fix and no profile', () => {
    const result = probe({ '/.well-known/ucp': status(404), '/.well-known/ucp.json': status(404) });
    expect(result.cell).toMatchObject({ status: 'absent', version: null });
    expect(result.cell.details['evidence']).toMatchObject([{ status: 404 }, { status: 404 }]);
    expect([fixIds(result), profileOf(result)]).toEqual([['ucp.missing'], undefined]);
  });
});

describe('ucp: the fallback path', () => {
  it('requests ucp.json only if the specified path has nothing', () => {
    const asked = (reply: Reply) => ucp.followUps!(evidence({ '/.well-known/ucp': reply })).map(({ url }) => url);
    expect(asked(status(404))).toEqual(['/.well-known/ucp.json']);
    expect(asked(html())).toEqual(['/.well-known/ucp.json']);
    expect(asked(json(current()))).toEqual([]);
    expect(asked(status(429))).toEqual([]);
  });

  it('is present there with a finding and a fix', () => {
    const result = probe({ '/.well-known/ucp': status(404), '/.well-known/ucp.json': json(current(), CACHED) });
    expect([result.cell.status, ids(result), fixIds(result)]).toEqual(['present', ['nonstandard_path'], ['ucp.path']]);
  });

  it('prefers the valid profile of the two', () => {
    const result = probe({ '/.well-known/ucp': json({ a: 1 }), '/.well-known/ucp.json': json(current(), CACHED) });
    expect(result.cell).toMatchObject({ status: 'present', details: { path: '/.well-known/ucp.json' } });
  });
});

describe('ucp: findings', () => {
  it.each([
    ['no Cache-Control', {}, ['cache_control_missing', 'no_validator']],
    ['a private cache', { 'cache-control': 'private', etag: '"1"' }, ['cache_control_forbids']],
    ['without public', { 'cache-control': 'max-age=600', etag: '"1"' }, ['cache_control_not_public']],
    ['half a minute', { 'cache-control': 'public, max-age=30', etag: '"1"' }, ['cache_max_age_short']],
    [
      'a byte stream type',
      { ...CACHED.headers, 'content-type': 'application/octet-stream' },
      ['content_type_not_json'],
    ],
  ])('notes %s without changing the status', (_, headers, expected) => {
    const result = at(current(), { headers });
    expect([result.cell.status, ids(result)]).toEqual(['present', expected]);
  });

  it('requires no cache headers for releases without a rule', () => {
    expect(ids(at(legacy(), {}))).toEqual([]);
  });

  const service = (members: Json) => ({
    services: { 'dev.ucp.shopping': [{ version: '2026-08-25', transport: 'rest', ...members }] },
  });
  const capability = (members: Json) => ({
    capabilities: {
      'dev.ucp.shopping.checkout': [
        { version: '2026-08-25', schema: 'https://ucp.dev/2026-08-25/schemas/c.json', ...members },
      ],
    },
  });
  const handler = (name: string, members: Json) => ({
    payment_handlers: { [name]: [{ id: 'pay', version: '2026-01-11', ...members }] },
  });

  it.each([
    ['no endpoint', service({}), 'member_missing'],
    ['a template endpoint', service({ endpoint: '{{ENDPOINT}}' }), 'endpoint_placeholder'],
    ['a relative endpoint', service({ endpoint: '/ucp/v1' }), 'endpoint_not_https'],
    ['an http endpoint', service({ endpoint: 'http://shop.example.com/ucp' }), 'endpoint_not_https'],
    ['an endpoint that is not text', service({ endpoint: 7 }), 'member_invalid'],
    ['a developer machine', service({ endpoint: 'https://localhost:8182' }), 'endpoint_localhost'],
    ['a private address', service({ endpoint: 'https://192.168.1.4/ucp' }), 'endpoint_localhost'],
    ['a user name in the endpoint', service({ endpoint: 'https://u:p@shop.example.com/ucp' }), 'endpoint_userinfo'],
    ['a trailing slash', service({ endpoint: `${HOST}/ucp/` }), 'endpoint_trailing_slash'],
    ['an entry version that is not a date', service({ endpoint: HOST, version: '1.0' }), 'entry_version_not_a_date'],
    ['an entry of another release', service({ endpoint: HOST, version: '2026-04-08' }), 'entry_version_differs'],
    ['a foreign schema host', capability({ schema: 'https://evil.example.com/c.json' }), 'authority_mismatch'],
    ['a schema on an address', capability({ schema: 'https://192.0.2.1/c.json' }), 'authority_mismatch'],
    ['a capability without schema', capability({ schema: undefined }), 'member_missing'],
    ['a schema over http', capability({ schema: 'http://ucp.dev/c.json' }), 'url_not_https'],
    ['an orphan', capability({ extends: ['dev.ucp.shopping.cart'] }), 'orphaned_extension'],
    ['a parent that is not a name', capability({ extends: 7 }), 'member_invalid'],
    [
      'a capability that is not an object',
      { capabilities: { 'dev.ucp.shopping.checkout': ['yes'] } },
      'entry_malformed',
    ],
    ['a handler without id', handler('com.example.pay', { id: undefined }), 'member_missing'],
    ['a handler name that is not a domain', handler('Stripe', {}), 'name_not_reverse_domain'],
    ['no instrument at all', handler('com.example.pay', { available_instruments: [] }), 'member_invalid'],
  ])('notes %s', (_, members, expected) => {
    const result = at(current(members));
    expect(result.cell.status).toBe('present');
    expect(ids(result)).toContain(expected);
  });

  it('notes an unknown transport next to a known one, and a date that is not a release', () => {
    const services = {
      'dev.ucp.shopping': [
        { version: '2026-03-01', transport: 'graphql', endpoint: HOST },
        { version: '2026-03-01', transport: 'rest', endpoint: HOST },
      ],
    };
    expect(ids(at(current({ version: '2026-03-01', services })))).toEqual(
      expect.arrayContaining(['unknown_transport', 'unknown_release']),
    );
  });

  it('lists the missing fields of a 2026-01-11 handler', () => {
    const payment = { handlers: [{ id: 'pay', name: 'com.example.pay', version: '2026-01-11', config: {} }] };
    expect(at(legacy({}, { payment })).cell.details['findings']).toEqual(
      ['spec', 'config_schema', 'instrument_schemas'].map((name) => ({
        id: 'member_missing',
        at: `payment.handlers[0].${name}`,
      })),
    );
  });

  it.each([
    ['no kid', { kty: 'OKP', crv: 'Ed25519', x: 'AA' }, 'member_missing'],
    [
      'an algorithm of another curve',
      { kid: 'a', kty: 'EC', crv: 'P-384', x: 'A', y: 'A', alg: 'ES256' },
      'key_alg_mismatch',
    ],
    [
      'the newer name of the algorithm of Ed25519',
      { kid: 'a', kty: 'OKP', crv: 'Ed25519', x: 'A', alg: 'Ed25519' },
      'key_alg_mismatch',
    ],
    ['an EC key without its second coordinate', { kid: 'a', kty: 'EC', crv: 'P-521', x: 'A' }, 'member_missing'],
    ['a key that is not an object', 'AA', 'member_invalid'],
  ])('notes %s', (_, key, expected) => {
    expect(ids(at(current({}, { keys: [key] })))).toContain(expected);
  });

  it('notes two keys with one kid and keys that are not an array', () => {
    const key = { ...ED25519, kid: 'a' };
    expect(ids(at(current({}, { keys: [key, key] })))).toEqual(['duplicate_kid']);
    expect(ids(at(legacy({}, { signing_keys: {} })))).toEqual(['member_invalid']);
  });

  it('keeps the last of two fields with one name, with a finding', () => {
    const text = JSON.stringify(current()).replace('{"ucp":{', '{"ucp":{"version":"2026-01-11",');
    const { cell } = at(text);
    expect(cell).toMatchObject({ version: '2026-08-25' });
    expect(cell.details['findings']).toEqual([{ id: 'duplicate_keys', at: 'ucp.version' }]);
  });

  it('limits the findings of a hostile profile', () => {
    const capabilities = Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`x${i}`, [{}]]));
    const result = at(current({ capabilities }));
    expect(result.cell.status).toBe('present');
    expect(ids(result).length).toBeLessThanOrEqual(60);
  });
});

describe('ucp: a leaked private key', () => {
  const leaking = current({}, { keys: [{ ...P256, kid: 'k', d: 'very-secret' }] });

  it('is a finding and a fix, and its text stays out of the report', () => {
    const result = at(leaking);
    expect(result.cell.status).toBe('present');
    expect(result.cell.details['findings']).toEqual([{ id: 'private_key_leaked', at: 'keys[0].d' }]);
    expect(fixIds(result)).toEqual(['ucp.private_key']);
    expect(result.cell.details['evidence']).toMatchObject([{ excerpt: null, sha256: expect.any(String) }]);
    expect(JSON.stringify(result)).not.toContain('very-secret');
  });

  it('is also withheld from other documents and from text', () => {
    for (const reply of [json({ keys: [{ kty: 'oct', k: 'very-secret' }] }), plain('{"kty":"oct","k":"very-secret"')]) {
      const result = probe({ '/.well-known/ucp': reply });
      expect(fixIds(result)).toEqual(expect.arrayContaining(['ucp.partial', 'ucp.private_key']));
      expect(JSON.stringify(result)).not.toContain('very-secret');
    }
  });
});

describe('ucp: leaf profiles', () => {
  const leafUrl = (date: string) => `${HOST}/.well-known/ucp/${date}`;
  const versions = (...dates: string[]) => ({
    supported_versions: Object.fromEntries(dates.map((date) => [date, leafUrl(date)])),
  });
  const leaf = (members: Json = {}) => json(legacy({ version: '2026-01-23', ...members }), CACHED);
  const withLeaf = (reply: Reply) =>
    probe({ '/.well-known/ucp': json(current(versions('2026-01-23')), CACHED), [leafUrl('2026-01-23')]: reply });

  it('requests at most three older ones of the same site, newest first', () => {
    const dates = ['2026-01-11', '2026-01-23', '2026-04-08', '2026-08-25', '2026-02-01'];
    const members = {
      supported_versions: { ...versions(...dates).supported_versions, '2026-03-01': 'https://other.net/' },
    };
    const seen = evidence({ '/.well-known/ucp': json(current(members)) });
    expect(ucp.followUps!(seen).map(({ url }) => url)).toEqual(['2026-04-08', '2026-02-01', '2026-01-23'].map(leafUrl));
  });

  it('accepts a valid leaf, with evidence', () => {
    const result = withLeaf(leaf());
    expect(ids(result)).toEqual([]);
    expect(result.cell.details['evidence']).toHaveLength(2);
    expect(profileOf(result)).toMatchObject({ supportedVersions: ['2026-01-23'] });
  });

  it.each([
    ['unreachable', status(404), 'leaf_unreachable'],
    ['no profile', json({ a: 1 }), 'leaf_not_a_profile'],
    ['HTML', html('<!doctype html><title>Leaf</title>'), 'leaf_not_a_profile'],
    ['of another version', leaf({ version: '2026-01-11' }), 'leaf_version_differs'],
    ['pointing on', leaf({ supported_versions: {} }), 'leaf_lists_versions'],
  ])('notes a leaf that is %s', (_, reply, expected) => {
    const result = withLeaf(reply);
    expect([result.cell.status, ids(result), fixIds(result)]).toEqual(['present', [expected], ['ucp.leaf']]);
  });

  it('has no finding for a leaf that blocked the prober', () => {
    expect(ids(withLeaf(status(429)))).toEqual([]);
  });

  it.each([
    ['the current version', versions('2026-08-25'), 'supported_version_repeats_current'],
    ['a newer version', versions('2026-10-01'), 'supported_version_newer'],
    ['a version that is not a date', versions('v1'), 'supported_version_not_a_date'],
    ['a leaf over http', { supported_versions: { '2026-01-11': 'http://shop.example.com/u' } }, 'leaf_not_https'],
    ['a list in place of the map', { supported_versions: ['2026-01-11'] }, 'member_invalid'],
  ])('notes %s', (_, members, expected) => {
    expect(ids(at(current(members)))).toEqual([expected]);
  });
});

describe('ucp: callability', () => {
  it('requests only the REST base, the card of an A2A endpoint, and the MCP handshake', () => {
    const seen = evidence({ '/.well-known/ucp': json(current()) });
    expect(ucp.exercises!(seen)).toMatchObject([
      { method: 'GET', url: `${HOST}/ucp/v1` },
      { method: 'GET', url: `${HOST}/.well-known/agent-card.json` },
      { method: 'POST', url: `${HOST}/ucp/mcp`, headers: { 'Mcp-Method': 'server/discover' } },
    ]);
    const elsewhere = { services: { 'dev.ucp.shopping': [{ transport: 'rest', endpoint: 'https://api.other.net/' }] } };
    expect(ucp.exercises!(evidence({ '/.well-known/ucp': json(current(elsewhere)) }))).toEqual([]);
    expect(ucp.exercises!(evidence({}))).toEqual([]);
  });

  it.each([
    ['405 is normal for a bare base', status(405), 405, []],
    ['502 is down', status(502), 502, ['endpoint_unreachable']],
    ['a refused connection is down', failure('connect_refused'), undefined, ['endpoint_unreachable']],
  ])('%s', (_, reply, code, expected) => {
    const result = probe({ '/.well-known/ucp': json(current(), CACHED), '/ucp/v1': reply });
    expect(result.cell.details['endpointStatus']).toBe(code);
    expect(ids(result)).toEqual(expected);
  });

  it('notes an A2A endpoint that is not a card', () => {
    const result = probe({ '/.well-known/ucp': json(current(), CACHED), '/.well-known/agent-card.json': html() });
    expect([ids(result), fixIds(result)]).toEqual([['a2a_endpoint_not_a_card'], ['ucp.endpoint']]);
  });
});

describe('ucp: advice', () => {
  it('advises a minimal profile that this detector accepts', () => {
    const fix = probe({ '/.well-known/ucp': status(404) }).fixes[0]!.fix;
    expect(fix).toContain(`${HOST}/.well-known/ucp`);
    const result = at(fix.slice(fix.indexOf('{')));
    expect([result.cell.status, ids(result)]).toEqual(['present', []]);
  });
});
