import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { evidence, json } from '../../../../test/support/evidence';
import { runDetector } from '../run-detector';
import { ucp } from './ucp.detector';

type Json = Record<string, unknown>;

const SERVED = { headers: { 'cache-control': 'public, max-age=600', etag: '"1"' } };

const idsOf = (document: unknown) => {
  const { cell } = runDetector(ucp, evidence({ '/.well-known/ucp': json(document, SERVED) }));
  const findings = (cell.details['findings'] ?? []) as readonly { readonly id: string }[];
  return { status: cell.status, version: cell.version, ids: findings.map(({ id }) => id) };
};

/** Fields that no release defines. */
const unknown = fc.dictionary(fc.stringMatching(/^x_[a-z]{1,8}$/), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 2 });
const label = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
const day = fc.constantFrom('2026-01-11', '2026-03-04', '2026-08-25');
const url = (host: string) => label.map((path) => `https://${host}/${path}`);

/** A name with the host that may define it: the core vocabulary, a namespace of it, or a company's. */
const named = fc.oneof(
  fc.tuple(label, label).map(([area, name]) => ({ name: `dev.ucp.${area}.${name}`, host: 'ucp.dev' })),
  fc.tuple(label, label).map(([who, name]) => ({ name: `com.${who}.${name}`, host: `${who}.com` })),
);

/** An entry with the given fields and a version, which equals that of the profile for the core vocabulary. */
function entryOf(release: string, { name, host }: { name: string; host: string }, needed: Json, optional: Json = {}) {
  const version = name.startsWith('dev.ucp.') ? fc.constant(release) : day;
  const arbitrary = (members: Json) =>
    Object.fromEntries(Object.entries(members).map(([key, value]) => [key, value as fc.Arbitrary<unknown>]));
  const extra = { spec: url(host), schema: url(host), config: unknown, id: label, ...arbitrary(optional) };
  const required = { version, ...arbitrary(needed) };
  const keys = Object.keys(required);
  return fc
    .tuple(fc.record({ ...extra, ...required }, { requiredKeys: keys as never }), unknown)
    .map(([members, more]) => ({ ...more, ...members }));
}

const endpoint = label.map((path) => `https://shop.example.com/${path}`);

const binding = (release: string, who: { name: string; host: string }) =>
  fc.oneof(
    entryOf(release, who, { transport: fc.constantFrom('rest', 'mcp', 'a2a'), endpoint }),
    entryOf(release, who, { transport: fc.constant('embedded') }, { endpoint }),
  );

const registry = (fill: (who: { name: string; host: string }) => fc.Arbitrary<unknown>, minKeys: number) =>
  fc
    .uniqueArray(named, { selector: ({ name }) => name, minLength: minKeys, maxLength: 3 })
    .chain((names) =>
      fc
        .tuple(...names.map((who) => fc.array(fill(who), { minLength: minKeys, maxLength: 2 })))
        .map((entries) => Object.fromEntries(names.map(({ name }, i) => [name, entries[i]]))),
    );

const jwk = (type: 'ed25519' | 'ec', namedCurve = ''): Json =>
  generateKeyPairSync(type as 'ec', { namedCurve }).publicKey.export({ format: 'jwk' });
const [P256, P384, ED25519] = [jwk('ec', 'P-256'), jwk('ec', 'P-384'), jwk('ed25519')];

/** Public keys of types in the schema, of other types, and of unrestricted curves. */
const key = fc.oneof(
  fc.constantFrom<Json>(
    { ...P256, alg: 'ES256' },
    { ...P384, alg: 'ES384' },
    { kty: 'EC', crv: 'P-521', x: 'AA', y: 'AA' },
    { kty: 'EC', crv: 'P-521', x: 'AA', y: 'AA', alg: 'ES512' },
    { kty: 'EC', crv: 'secp256k1', x: 'AA', y: 'AA', alg: 'ES256K' },
    ED25519,
    { ...ED25519, alg: 'EdDSA', use: 'sig' },
    { kty: 'OKP', crv: 'Ed448', x: 'AA', alg: 'EdDSA' },
    { kty: 'RSA', n: 'AA', e: 'AQAB', alg: 'PS256' },
    { kty: 'AKP', alg: 'ML-DSA-65', pub: 'AA' },
  ),
  fc.record({ kty: label, alg: fc.string({ minLength: 1 }) }, { requiredKeys: ['kty'] }),
);
const keys = fc
  .array(fc.tuple(key, unknown), { maxLength: 3 })
  .map((all) => all.map(([one, more], i) => ({ ...more, ...one, kid: `k${i}` })));

/** A valid profile of a release with objects of entries and any subset of the optional fields. */
function profile(release: '2026-01-23' | '2026-04-08' | '2026-08-25') {
  const schema = (who: { host: string }) => (release === '2026-08-25' ? { schema: url(who.host) } : {});
  const instruments = release === '2026-01-23' ? {} : { available_instruments: fc.constant([{ type: 'card' }]) };
  const members = fc.record(
    {
      version: fc.constant(release),
      services: registry((who) => binding(release, who), 1),
      capabilities: registry((who) => entryOf(release, who, schema(who)), 0),
      payment_handlers: registry((who) => entryOf(release, who, { id: label }, instruments), 0),
      ...(release === '2026-01-23' ? {} : { supported_versions: fc.constant({}) }),
    },
    { requiredKeys: ['version', 'services', 'payment_handlers'] },
  );
  const root = release === '2026-08-25' ? { keys, signing_keys: fc.constant([]) } : { signing_keys: fc.constant([]) };
  return fc
    .tuple(members, unknown, fc.record(root, { requiredKeys: [] }), unknown)
    .map(([known, more, rest, others]): Json => ({ ...others, ...rest, ucp: { ...more, ...known } }))
    .filter((document) => release !== '2026-08-25' || !('signing_keys' in document) || 'keys' in document);
}

const RELEASES = ['2026-01-23', '2026-04-08', '2026-08-25'] as const;

describe('a conforming profile', () => {
  it.each(RELEASES)('of %s is present without a finding, with any optional fields', (release) => {
    fc.assert(
      fc.property(profile(release), (document) => {
        expect(idsOf(document)).toEqual({ status: 'present', version: release, ids: [] });
      }),
      { numRuns: 150 },
    );
  });

  it.each(RELEASES)('of %s without a required field is not present', (release) => {
    const lacking = fc.constantFrom('version', 'services', 'payment_handlers');
    fc.assert(
      fc.property(profile(release), lacking, (document, name) => {
        const rest = Object.entries(document['ucp'] as Json).filter(([member]) => member !== name);
        expect(idsOf({ ...document, ucp: Object.fromEntries(rest) }).status).toBe('partial');
      }),
      { numRuns: 60 },
    );
  });

  it.each(['draft', 'latest', '2026-8-25', '2026-02-30', '20260825', 'v2026-08-25', ''])(
    'whose version is "%s" is partial',
    (version) => {
      fc.assert(
        fc.property(profile('2026-08-25'), (document) => {
          expect(idsOf({ ...document, ucp: { ...(document['ucp'] as Json), version } }).status).toBe('partial');
        }),
        { numRuns: 10 },
      );
    },
  );

  it('reports a missing endpoint for each transport except embedded', () => {
    const without = (transport: string) => {
      const service = { version: '2026-08-25', transport };
      const other = { version: '2026-08-25', transport: 'rest', endpoint: 'https://shop.example.com/ucp' };
      const services = { 'dev.ucp.shopping': [service, other] };
      return idsOf({ ucp: { version: '2026-08-25', services, payment_handlers: {} } });
    };
    for (const transport of ['rest', 'mcp', 'a2a']) {
      expect(without(transport)).toMatchObject({ status: 'present', ids: ['member_missing'] });
    }
    expect(without('embedded')).toMatchObject({ status: 'present', ids: [] });
  });
});

describe('keys of a profile of 2026-08-25', () => {
  const with_ = (one: Json) => idsOf({ ...minimal, keys: [one] }).ids;
  const services = { 'dev.ucp.shopping': [{ version: '2026-08-25', transport: 'embedded' }] };
  const minimal = { ucp: { version: '2026-08-25', services, payment_handlers: {} } };
  const curves = {
    'P-256': { alg: 'ES256', key: P256 },
    'P-384': { alg: 'ES384', key: P384 },
    Ed25519: { alg: 'EdDSA', key: ED25519 },
  } as const;

  it('have the algorithm of their curve, if the release defines one', () => {
    const alg = fc.oneof(fc.constantFrom('ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519', 'PS256'), label);
    fc.assert(
      fc.property(fc.constantFrom(...(Object.keys(curves) as (keyof typeof curves)[])), alg, (crv, stated) => {
        const one = { ...curves[crv].key, kid: 'k', alg: stated };
        expect(with_(one)).toEqual(stated === curves[crv].alg ? [] : ['key_alg_mismatch']);
      }),
    );
  });

  it('only need the fields of their type', () => {
    const needed: Record<string, readonly string[]> = { EC: ['crv', 'x', 'y'], OKP: ['crv', 'x'] };
    const holder = fc
      .constantFrom('EC', 'OKP', 'AKP', 'XYZ')
      .chain((kty) => fc.record({ kty: fc.constant(kty), gone: fc.subarray(['kid', 'crv', 'x', 'y']) }));
    fc.assert(
      fc.property(holder, ({ kty, gone }) => {
        const all: Json = { kid: 'k', kty, crv: 'X-1', x: 'AA', y: 'AA' };
        const one = Object.fromEntries(Object.entries(all).filter(([name]) => !gone.includes(name)));
        const lacking = gone.filter((name) => name === 'kid' || needed[kty]?.includes(name));
        expect(with_(one)).toEqual(lacking.map(() => 'member_missing'));
      }),
    );
  });
});
