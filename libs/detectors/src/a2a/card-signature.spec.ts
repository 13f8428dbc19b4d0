import fc from 'fast-check';
import SDK from '../../../../test/fixtures/sdk-signed-card.json';
import { evidence, failure, html, json, status, type Reply } from '../../../../test/support/evidence';
import { cards, JKU, newCardKey, rewritten, signatureBy, type CardKey } from '../../../../test/support/signed-cards';
import { a2a } from './a2a.detector';
import { canonicalJson } from './payload-forms';
import { readJson, type JsonObject } from '../formats/json';
import { runDetector } from '../run-detector';

const CARD = '/.well-known/agent-card.json';
const KEYS = { ES256: newCardKey('ES256'), ES384: newCardKey('ES384'), EdDSA: newCardKey('EdDSA') } as const;
const RSA = [newCardKey('RS256'), newCardKey('PS256')];
const ALL: readonly CardKey[] = [...Object.values(KEYS), ...RSA];
const KEY = KEYS.ES256;

const PLAIN: JsonObject = {
  name: 'Lamp Agent',
  description: '',
  version: '1.0.0',
  supportedInterfaces: [{ url: 'https://shop.example.com/a2a', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  capabilities: { streaming: false },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'find', name: 'Find', description: 'Finds lamps.', tags: [], examples: [] }],
  securityRequirements: [],
};
const canonical = (value: JsonObject) => canonicalJson(value) ?? '';
const signed = (header: JsonObject = {}, key: CardKey = KEY): JsonObject => ({
  ...PLAIN,
  signatures: [signatureBy(key, canonical(PLAIN), header)],
});

const set = (...keys: readonly unknown[]): Reply => json({ keys });
const OWN = { [JKU]: set(...ALL.map(({ jwk }) => jwk)) };
const seen = (card: JsonObject | string, replies: Record<string, Reply> = OWN) =>
  evidence({ [CARD]: json(card), ...replies });
const detailsOf = (card: JsonObject | string, replies?: Record<string, Reply>) =>
  runDetector(a2a, seen(card, replies)).cell.details;
const of = (card: JsonObject | string, replies?: Record<string, Reply>) => {
  const { cell, fixes } = runDetector(a2a, seen(card, replies));
  const { signature, signatureReason: reason, verifiedForm: form, findings = [] } = cell.details;
  const ids = (findings as { id: string }[]).map(({ id }) => id).filter((id) => /sign|jku|kid|key/.test(id));
  return { status: cell.status, signature, reason, form, ids, fixed: fixes.some(({ id }) => id === 'a2a.signature') };
};
const asked = (card: JsonObject) => (a2a.exercises?.(evidence({ [CARD]: json(card) })) ?? []).map(({ url }) => url);

describe('a signed agent card', () => {
  it.each(ALL.map((key) => [key.alg, key] as const))('is verified with %s', (_, key) => {
    expect(of(signed({}, key))).toEqual({
      status: 'present',
      signature: 'verified',
      reason: undefined,
      form: 'as-published',
      ids: [],
      fixed: false,
    });
  });

  it.each(SDK.signed.map(({ jwk, signature }) => [jwk.kid, jwk, signature] as const))(
    'is verified as the official JavaScript SDK 1.3.0 signs it, with %s',
    (_, jwk, signature) => {
      expect(of({ ...SDK.card, signatures: [signature] }, { [JKU]: set(jwk) })).toMatchObject({
        signature: 'verified',
        form: 'sdk-clean',
      });
      // The SDK leaves out fields that its schema does not know, although clients of older generations would trust them
      // unsigned.
      const more = {
        ...SDK.card,
        url: 'https://shop.example.com/v0',
        capabilities: { ...SDK.card.capabilities, x: 1 },
      };
      expect(of({ ...more, signatures: [signature] }, { [JKU]: set(jwk) })).toMatchObject({
        signature: 'broken',
        ids: ['signature_covers_less', 'signature_unverified'],
        fixed: true,
      });
      expect(of({ ...SDK.card, version: '2.1.1', signatures: [signature] }, { [JKU]: set(jwk) })).toMatchObject({
        signature: 'broken',
      });
    },
  );

  it.each([
    ['as-published', PLAIN],
    // Required fields stay, and so do those that the schema calls optional.
    ['spec-rule', { ...PLAIN, skills: [{ id: 'find', name: 'Find', description: 'Finds lamps.', tags: [] }] }],
    ['sdk-clean', { ...PLAIN, skills: [{ id: 'find', name: 'Find', description: 'Finds lamps.' }] }],
  ])('is verified in the form %s', (form, payload) => {
    const covered = Object.fromEntries(
      Object.entries(payload).filter(
        ([name]) =>
          (name !== 'securityRequirements' || form === 'as-published') &&
          (name !== 'description' || form !== 'sdk-clean'),
      ),
    );
    const card = { ...PLAIN, signatures: [signatureBy(KEY, canonical(covered))] };
    expect(of(card)).toMatchObject({ signature: 'verified', form });
  });

  it('keeps its signature in any JSON formatting', () => {
    fc.assert(
      fc.property(cards, fc.constantFrom(...ALL), fc.nat(), (plain, key, seed) => {
        const card = { ...plain, signatures: [signatureBy(key, canonical(plain))] };
        expect(detailsOf(rewritten(card, seed))).toMatchObject({ signature: 'verified', verified: true });
      }),
      { numRuns: 100 },
    );
  });

  it('is invalidated by any changed byte that changes the content', () => {
    fc.assert(
      fc.property(
        cards,
        fc.constantFrom(...Object.values(KEYS)),
        fc.nat(),
        fc.nat(255),
        fc.nat(2),
        (plain, key, at, byte, kind) => {
          const card = { ...plain, signatures: [signatureBy(key, canonical(plain))] };
          const bytes = Buffer.from(JSON.stringify(card));
          const index = at % bytes.length;
          // Replaced, inserted, or deleted.
          const middle = kind === 2 ? Buffer.of() : Buffer.of(byte);
          const changed = Buffer.concat([
            bytes.subarray(0, index),
            middle,
            bytes.subarray(kind === 1 ? index : index + 1),
          ]);
          const body = changed.toString('utf8');
          const reading = readJson(body);
          const value = reading.ok ? (reading.value as JsonObject) : undefined;
          fc.pre(value !== undefined && canonical(value) !== canonical(card));
          const { signature } = detailsOf(body);
          expect(signature).not.toBe('verified');
          const same = canonicalJson(value['signatures'] ?? null) === canonicalJson(card.signatures);
          if (same) expect(signature).toBe('broken');
        },
      ),
      { numRuns: 100 },
    );
  });

  it.each([
    ['another card', { ...signed(), name: 'Tampered Agent' }, 'signature_unverified'],
    ['no algorithm', signed({ alg: 'none' }), 'signature_alg_refused'],
    ['no algorithm in another spelling', signed({ alg: 'NonE' }), 'signature_alg_refused'],
    ['a shared secret', signed({ alg: 'HS256' }), 'signature_alg_refused'],
    ['an algorithm of another key', signed({ alg: 'ES256', kid: 'EdDSA' }, KEYS.EdDSA), undefined],
    ['an unknown critical extension', signed({ crit: ['exp'], exp: 1 }), 'signature_crit_unknown'],
    ['a payload that is not encoded', signed({ crit: ['b64'], b64: false }), 'signature_crit_unknown'],
    ['an empty list of critical extensions', signed({ crit: [] }), 'signature_crit_unknown'],
  ])('is not verified with %s', (_, card, fault) => {
    const { signature, ids, fixed, status: cell } = of(card);
    expect({ cell, fixed }).toEqual({ cell: 'present', fixed: true });
    expect([signature, ids]).toEqual(fault === undefined ? ['unknown_key', ['kid_unknown']] : ['broken', [fault]]);
  });

  const good = signatureBy(KEY, canonical(PLAIN));
  /** The last character of 86 has bits that belong to no byte. */
  const respelled = (text: string) => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    return `${text.slice(0, -1)}${alphabet[alphabet.indexOf(text.slice(-1)) + 1]}`;
  };
  const compact = `${good.protected}..${good.signature}`;
  const b64 = (text: string) => Buffer.from(text).toString('base64url');
  it.each([
    ['a header that is not base64url', { ...good, protected: '%%%' }],
    ['a header that is not JSON', { ...good, protected: b64('ES256') }],
    ['a header that is not an object', { ...good, protected: b64('["ES256"]') }],
    ['a header without alg', { ...good, protected: b64('{"kid":"ES256"}') }],
    ['a header that names alg twice', { ...good, protected: b64('{"alg":"none","alg":"ES256","kid":"ES256"}') }],
    ['a kid that is not text', { ...good, protected: b64('{"alg":"ES256","kid":7}') }],
    ['padding', { ...good, signature: `${good.signature}==` }],
    ['another spelling of the same bytes', { ...good, signature: respelled(good.signature) }],
    ['no signature', { protected: good.protected }],
    ['an empty signature', { ...good, signature: '' }],
    ['a compact JWS', compact],
    ['a compact JWS as its signature', { ...good, signature: compact }],
    ['alg in both headers', { ...good, header: { alg: 'ES256' } }],
    ['crit outside the signed header', { ...good, header: { crit: ['exp'] } }],
    ['an unprotected header that is not an object', { ...good, header: [] }],
    ['null', null],
  ])('is invalid with %s in the signature', (_, entry) => {
    expect(of({ ...PLAIN, signatures: [entry] })).toMatchObject({
      status: 'present',
      signature: 'broken',
      ids: ['signature_malformed'],
      fixed: true,
    });
  });

  it('covers the card, not a payload sent with the signature', () => {
    const entry = { ...good, payload: b64(canonical({ name: 'another' })), header: { note: 'free' } };
    expect(of({ ...PLAIN, signatures: [entry] })).toMatchObject({ signature: 'verified' });
    const other = { name: 'another' };
    const attached = { ...signatureBy(KEY, canonical(other)), payload: b64(canonical(other)) };
    expect(of({ ...PLAIN, signatures: [attached] })).toMatchObject({ signature: 'broken' });
  });

  it('is invalid if it has a duplicate field, even if the last one is signed', () => {
    const text = JSON.stringify(signed());
    expect(of(text.replace('{', '{"name":"Another Agent",'))).toMatchObject({ signature: 'broken' });
    expect(of(text.replace('"id":', '"id":"other","\\u0069d":'))).toMatchObject({ signature: 'broken' });
  });

  it('is verified by one of several signatures, in any order', () => {
    const others = [
      signatureBy(KEY, canonical(PLAIN), { kid: 'lost' }),
      signatureBy(KEY, 'another card'),
      { protected: '%' },
      signatureBy(KEY, canonical(PLAIN), { alg: 'HS256' }),
      signatureBy(KEY, canonical(PLAIN), { jku: 'https://keys.example.org/jwks.json' }),
    ];
    fc.assert(
      fc.property(fc.shuffledSubarray(others), fc.nat(5), (rest, at) => {
        const signatures = [...rest.slice(0, at), good, ...rest.slice(at)];
        expect(of({ ...PLAIN, signatures })).toMatchObject({ signature: 'verified', ids: [], fixed: false });
        const without = of({ ...PLAIN, signatures: rest });
        if (rest.length > 0) expect(without.signature).not.toBe('verified');
      }),
      { numRuns: 40 },
    );
  });

  it('is checked for at most ten signatures', () => {
    const bad = signatureBy(KEY, 'another card');
    expect(of({ ...PLAIN, signatures: [...Array<JsonObject>(9).fill(bad), good] }).signature).toBe('verified');
    expect(of({ ...PLAIN, signatures: [...Array<JsonObject>(10).fill(bad), good] }).signature).toBe('broken');
  });
});

describe('the keys of a signed card', () => {
  it('are requested at its jku, on its own site, without redirects', () => {
    const wishes = a2a.exercises?.(seen(signed(), {})) ?? [];
    expect(wishes.at(-1)).toMatchObject({ method: 'GET', url: JKU, redirects: 'manual', maxBytes: 65_536 });
    expect(asked(signed({ jku: 'https://keys.example.com/a' }))).toContain('https://keys.example.com/a');
  });

  const FOREIGN = [
    'https://keys.example.org/jwks.json',
    'https://shop.example.com.evil.net/jwks.json',
    'https://evilexample.com/jwks.json',
    'https://shop.example.com@evil.net/jwks.json',
    'https://evil.net#shop.example.com',
    'https://203.0.113.7/jwks.json',
    'http://shop.example.com/jwks.json',
    'https://user:pw@shop.example.com/jwks.json',
    '/.well-known/jwks.json',
    '//evil.net/jwks.json',
    'file:///etc/passwd',
    'data:application/json,{"keys":[]}',
    'not a url',
    '',
  ];
  it('are never requested from another site', () => {
    fc.assert(
      fc.property(fc.oneof(fc.constantFrom(...FOREIGN), fc.webUrl()), (jku) => {
        const card = signed({ jku });
        fc.pre(!/^https:\/\/(?:[\w.-]+\.)?example\.com(?:[:/?#]|$)/.test(jku));
        expect(asked(card)).toEqual(['https://shop.example.com/a2a']);
        expect(of(card).signature).toBe('unknown_key');
      }),
    );
    expect(of(signed({ jku: FOREIGN[0] }))).toMatchObject({ reason: 'jku_off_site', ids: ['jku_off_site'] });
  });

  it('are never requested from another port or with a user name and password, with a finding', () => {
    const forms = fc.oneof(
      fc.integer({ min: 1, max: 65_535 }).map((port) => `https://shop.example.com:${port}/keys.json`),
      fc.constantFrom(
        'https://me:secret@shop.example.com/k',
        'https://me@shop.example.com/k',
        'http://shop.example.com/k',
      ),
    );
    fc.assert(
      fc.property(forms, (jku) => {
        fc.pre(!jku.includes(':443/'));
        const card = signed({ jku });
        expect(asked(card)).toEqual(['https://shop.example.com/a2a']);
        expect(of(card)).toMatchObject({
          signature: 'unknown_key',
          reason: 'jku_unreachable',
          ids: ['jku_unreachable'],
        });
      }),
      { numRuns: 30 },
    );
  });

  it('are requested for at most three sets, and the result waits for them', () => {
    const jku = (n: number) => `https://shop.example.com/keys/${n}`;
    const signatures = [1, 2, 3, 4].map((n) => signatureBy(KEY, canonical(PLAIN), { jku: jku(n) }));
    expect(asked({ ...PLAIN, signatures })).toEqual(['https://shop.example.com/a2a', jku(1), jku(2), jku(3)]);
    expect(detailsOf(signed(), {})).toMatchObject({ signed: true, signatures: [{ alg: 'ES256' }] });
    expect(detailsOf(signed(), {})).not.toHaveProperty('signature');
  });

  const other = newCardKey('ES256');
  const secret = { ...KEY.jwk, d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A' };
  const moved: Reply = { status: 302, headers: { location: 'https://shop.example.com/keys.json' } };
  it.each<[string, Reply, string, string]>([
    ['404', status(404), 'unknown_key', 'jku_unreachable'],
    ['500', status(500), 'unknown_key', 'jku_unreachable'],
    ['a login', status(401), 'unknown_key', 'jku_unreachable'],
    ['no answer', failure('timeout'), 'unknown_key', 'jku_unreachable'],
    ['a page', html(), 'unknown_key', 'jku_unreachable'],
    ['a redirect', moved, 'unknown_key', 'jku_unreachable'],
    [
      'a set behind a redirect',
      { ...set(KEY.jwk), redirects: [{ status: 302, location: 'https://shop.example.com/k' }] },
      'unknown_key',
      'jku_unreachable',
    ],
    ['JSON that is not a set', json([KEY.jwk]), 'unknown_key', 'jku_unreachable'],
    ['a key outside a key set', json(KEY.jwk), 'unknown_key', 'jku_unreachable'],
    ['an empty set', set(), 'unknown_key', 'kid_unknown'],
    ['keys of other names', set({ ...KEY.jwk, kid: 'es256' }, { ...KEY.jwk, kid: 7 }), 'unknown_key', 'kid_unknown'],
    ['a key without a name', set({ ...KEY.jwk, kid: undefined }), 'unknown_key', 'kid_unknown'],
    [
      'keys of other types',
      set({ kty: 'oct', kid: 'ES256' }, { kty: 'AKP', kid: 'ES256', pub: 'AA' }, null, 'x'),
      'unknown_key',
      'kid_unknown',
    ],
    ['a key of another curve', set({ ...KEYS.ES384.jwk, kid: 'ES256' }), 'unknown_key', 'kid_unknown'],
    ['a point that is not on its curve', set({ ...KEY.jwk, y: other.jwk['y'] }), 'unknown_key', 'kid_unknown'],
    ['a key for encryption', set({ ...KEY.jwk, use: 'enc' }), 'unknown_key', 'kid_unknown'],
    ['a key of another algorithm', set({ ...KEY.jwk, alg: 'ES384' }), 'unknown_key', 'kid_unknown'],
    ['a key that includes its private part', set(secret), 'unknown_key', 'key_not_secret'],
    ['another key of that name', set({ ...other.jwk, kid: 'ES256' }), 'broken', 'signature_unverified'],
  ])('that answer %s verify nothing', (_, reply, signature, reason) => {
    expect(of(signed(), { [JKU]: reply })).toMatchObject({ status: 'present', signature, reason, fixed: true });
  });

  it.each([
    ['next to another key with the same kid', [{ ...other.jwk, kid: 'ES256' }, KEY.jwk]],
    [
      'next to keys of other types with the same kid',
      [{ kty: 'oct', k: '', kid: 'ES256' }, { ...KEYS.EdDSA.jwk, kid: 'ES256' }, KEY.jwk],
    ],
    ['with its algorithm and use', [{ ...KEY.jwk, alg: 'ES256', use: 'sig', key_ops: ['verify'], x5t: 'x' }]],
    ['with the name that Web Bot Auth gives the algorithm', [{ ...KEY.jwk, alg: 'ecdsa-p256-sha256' }]],
  ])('contain a key %s', (_, keys) => {
    expect(of(signed(), { [JKU]: set(...keys) })).toMatchObject({ signature: 'verified' });
  });

  it('cannot be found without a kid, a jku or a known algorithm; only a missing kid is a fault', () => {
    expect(of(signed({ kid: undefined }))).toMatchObject({ signature: 'unknown_key', ids: ['kid_missing'] });
    expect(of(signed({ jku: undefined }))).toMatchObject({ reason: 'no_jku', ids: [], fixed: false });
    expect(of(signed({ alg: 'ML-DSA-44' }))).toMatchObject({ reason: 'alg_unknown', ids: [], fixed: false });
    // A key within the card itself does not prove who signed it.
    expect(of(signed({ jku: undefined, jwk: KEY.jwk }))).toMatchObject({ reason: 'no_jku' });
  });

  it('are reported as leaked, without a quote, if they include the private key', () => {
    const result = runDetector(a2a, seen(signed(), { [JKU]: set(secret) }));
    expect(result.fixes.map(({ id }) => id)).toContain('a2a.private_key');
    expect(JSON.stringify(result)).not.toContain(secret.d);
  });

  it('are part of the evidence', () => {
    expect(detailsOf(signed())['evidence']).toMatchObject([{ status: 200 }, { url: JKU, status: 200 }]);
  });
});
