import { createHash, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import fc from 'fast-check';
import { signatureHeadersSync, type Component } from 'http-message-sig';
import { createSigner, httpbis } from 'http-message-signatures';
import { evidence, json, status, type Reply } from '../../../../test/support/evidence';
import type { JsonObject } from '../formats/json';
import { publicKeyOf } from '../keys/public-key';
import { runDetector } from '../run-detector';
import { tap } from './tap.detector';

const PATH = '/.well-known/http-message-signatures-directory';
const URL_OF = (host: string) => `https://${host}${PATH}`;
const OWN = URL_OF('shop.example.com');
const TAG = 'http-message-signatures-directory';
const TYPE = `application/${TAG}+json`;
/** The time of the answers in `evidence`. */
const NOW = Date.parse('2026-11-01T12:00:00Z');
const MINUTE = 60_000;

interface Pair {
  readonly jwk: JsonObject;
  readonly id: string;
  readonly privateKey: KeyObject;
}
const pairOf = ({ publicKey, privateKey }: { readonly publicKey: KeyObject; readonly privateKey: KeyObject }): Pair => {
  const jwk = publicKey.export({ format: 'jwk' }) as JsonObject;
  return { jwk, id: publicKeyOf(jwk)?.thumbprint ?? '', privateKey };
};
const ED = pairOf(generateKeyPairSync('ed25519'));
const OTHER = pairOf(generateKeyPairSync('ed25519'));
const P256 = pairOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }));
const RSA = pairOf(generateKeyPairSync('rsa', { modulusLength: 2_048 }));

const REQ = new Map([['req', true]]);
const AUTHORITY: Component = { name: '@authority', parameters: REQ };

interface Signing {
  readonly url?: string;
  readonly components?: Component[];
  readonly key?: Pair;
  readonly more?: Readonly<Record<string, unknown>>;
  readonly label?: string;
  readonly digest?: string;
}

const digestOf = (body: string, name: 'sha256' | 'sha512' = 'sha256') =>
  `${name.replace('sha', 'sha-')}=:${createHash(name).update(body).digest('base64')}:`;

/** Headers from another library for a directory, signed with Ed25519. */
function signedHeaders(
  body: string,
  { url = OWN, components, key = ED, more, label = 'binding', digest = digestOf(body) }: Signing = {},
) {
  const request = { method: 'GET', url, headers: {} };
  const headers = { 'content-digest': digest, 'content-type': TYPE };
  const signSync = (data: string) => sign(null, Buffer.from(data), key.privateKey);
  const signed = signatureHeadersSync(
    { request, response: { status: 200, headers } },
    {
      signer: { keyid: key.id, alg: 'ed25519', signSync },
      components: components ?? [AUTHORITY, 'content-digest'],
      created: new Date(NOW - MINUTE),
      expires: new Date(NOW + MINUTE),
      tag: TAG,
      key: label,
      ...more,
    },
  );
  return { ...headers, 'signature-input': signed['Signature-Input'], signature: signed.Signature };
}

const BODY = JSON.stringify({ keys: [ED.jwk] });
const judged = (headers: Reply['headers'], body = BODY, more: Reply = {}) =>
  runDetector(tap, evidence({ [PATH]: json(body, { headers: { 'content-type': TYPE, ...headers }, ...more }) }));
const said = (...of: Parameters<typeof judged>) => judged(...of).cell.details['responseSigned'];

describe('the signature of a directory', () => {
  it('is only valid for the requested host', () => {
    const { cell } = judged(signedHeaders(BODY));
    expect(cell).toMatchObject({ status: 'present', details: { responseSigned: 'verified' } });
    expect(cell.details['findings']).toBeUndefined();
    for (const host of ['other.example.net', 'www.shop.example.com', 'example.com', 'shop.example.com:8443']) {
      const { cell: elsewhere } = judged(signedHeaders(BODY, { url: URL_OF(host) }));
      expect(elsewhere).toMatchObject({ status: 'present', details: { responseSigned: 'invalid' } });
      expect(elsewhere.details['findings']).toEqual([{ id: 'response_signature_invalid', at: 'signature' }]);
    }
  });

  it.each([
    ['ed25519', ED],
    ['ecdsa-p256-sha256', P256],
    ['rsa-pss-sha512', RSA],
  ] as const)('is valid if another library makes it with %s', async (alg, { jwk, id, privateKey }) => {
    const body = JSON.stringify({ keys: [jwk] });
    const headers = { 'content-digest': digestOf(body, 'sha512'), 'content-type': TYPE };
    const signer = createSigner(privateKey, alg, id);
    const config = {
      key: signer,
      fields: ['@authority;req', '@method;req', '@path;req', '@status', 'content-type', 'content-digest'],
      params: ['created', 'expires', 'keyid', 'alg', 'tag'],
      paramValues: { created: new Date(NOW), expires: new Date(NOW + MINUTE), tag: TAG },
    };
    const request = { method: 'GET', url: OWN, headers: {} };
    const signed = await httpbis.signMessage(config, { status: 200, headers }, request);
    expect(said(signed.headers as Record<string, string>, body)).toBe('verified');
    expect(said({ ...(signed.headers as Record<string, string>), 'content-type': 'text/plain' }, body)).toBe('invalid');
  });

  it('is absent without its tag, and needs no digest', () => {
    expect(said({})).toBe('absent');
    expect(said(signedHeaders(BODY, { more: { tag: 'web-bot-auth' } }))).toBe('absent');
    expect(said(signedHeaders(BODY, { components: [AUTHORITY] }))).toBe('verified');
  });

  it.each<[string, Signing]>([
    ['of another body', { digest: digestOf(`${BODY} `) }],
    ['with an invalid digest', { digest: 'sha-256=AAAA' }],
    ['of a digest of another algorithm', { digest: 'md5=:AAAA:' }],
    ['of two digests, one of them wrong', { digest: `${digestOf(BODY)}, ${digestOf('x', 'sha512')}` }],
    ['made in the future', { more: { created: new Date(NOW + 2 * MINUTE) } }],
    ['expired', { more: { expires: new Date(NOW) } }],
    ['of a key that is not in the directory', { key: OTHER }],
    ['with the keyid of another key', { more: { keyid: OTHER.id } }],
    ['that names another algorithm', { more: { alg: 'hmac-sha256' } }],
    ['for any host', { components: ['content-digest'] }],
    ['with a component that is not known', { components: [AUTHORITY, { name: '@query-param', parameters: REQ }] }],
    ['with a header of the request', { components: [AUTHORITY, { name: 'accept', parameters: REQ }] }],
    [
      'with a component in a form that is not known',
      { components: [AUTHORITY, { name: 'content-type', parameters: new Map([['sf', true]]) }] },
    ],
    ['with a component twice', { components: [AUTHORITY, AUTHORITY] }],
    ['with a header that did not come', { components: [AUTHORITY, 'etag'] }],
  ])('is invalid if it is %s', (_, signing) => {
    const { cell } = judged(headersOf(signing));
    expect(cell).toMatchObject({ status: 'present', details: { responseSigned: 'invalid' } });
  });
  /** The library refuses some of these itself; then we take the headers of a valid one and replace its input. */
  const headersOf = (signing: Signing) => {
    try {
      return signedHeaders(BODY, signing);
    } catch {
      const good = signedHeaders(BODY);
      const list = '("@authority";req "@query-param";name="a";req)';
      return { ...good, 'signature-input': good['signature-input'].replace(/\([^)]*\)/, list) };
    }
  };

  it.each([
    ['input that is not a dictionary', { 'signature-input': `binding=(("@authority";req);tag="${TAG}"` }],
    ['a signature of another label', { signature: 'sig1=:AAAA:' }],
    ['a signature that is not bytes', { signature: 'binding="AAAA"' }],
    ['no signature', { signature: '' }],
  ])('is invalid with %s', (_, change) => {
    expect(said({ ...signedHeaders(BODY), ...change })).toBe('invalid');
  });

  it('needs times', () => {
    const good = signedHeaders(BODY);
    for (const name of ['created', 'expires', 'keyid']) {
      const input = good['signature-input'].replace(new RegExp(`;${name}=(?:"[^"]*"|\\d+)`), '');
      expect(said({ ...good, 'signature-input': input })).toBe('invalid');
    }
  });

  it('may be one of several, in one line or two; one valid signature is enough', () => {
    const [bad, good] = [signedHeaders(BODY, { key: OTHER, label: 'a' }), signedHeaders(BODY, { label: 'b' })];
    const both = (name: 'signature' | 'signature-input') => [bad[name], good[name]];
    expect(said({ ...good, signature: both('signature'), 'signature-input': both('signature-input') })).toBe(
      'verified',
    );
    const joined = { signature: both('signature').join(', '), 'signature-input': both('signature-input').join(', ') };
    expect(said({ ...good, ...joined })).toBe('verified');
    // If a label occurs twice, its last value counts.
    const again = { signature: [good.signature, bad.signature.replace('a=', 'b=')] };
    expect(said({ ...good, ...again })).toBe('invalid');
  });

  it('covers every byte of the body', () => {
    const headers = signedHeaders(BODY);
    fc.assert(
      fc.property(fc.nat(BODY.length - 1), fc.integer({ min: 32, max: 126 }), (at, code) => {
        const changed = `${BODY.slice(0, at)}${String.fromCharCode(code)}${BODY.slice(at + 1)}`;
        fc.pre(changed !== BODY);
        expect(said(headers, changed)).not.toBe('verified');
      }),
      { numRuns: 100 },
    );
  });

  it('covers the components in its input', () => {
    const headers = signedHeaders(BODY);
    const input = headers['signature-input'];
    fc.assert(
      fc.property(fc.nat(input.length - 1), fc.integer({ min: 33, max: 126 }), (at, code) => {
        const changed = `${input.slice(0, at)}${String.fromCharCode(code)}${input.slice(at + 1)}`;
        fc.pre(changed !== input);
        expect(said({ ...headers, 'signature-input': changed })).not.toBe('verified');
      }),
      { numRuns: 100 },
    );
  });

  it('is requested without compression, which would change the digest', () => {
    expect(tap.probes).toMatchObject([{ headers: { 'accept-encoding': 'identity' } }]);
  });
});

describe('a directory with another document in place of keys', () => {
  it('shows the identity in a Signature Agent Card', () => {
    const card = {
      client_id: 'https://shop.example.com/agent',
      client_name: 'Lamp Finder',
      contacts: ['mailto:agent@example.com', 7],
      jwks_uri: OWN,
      web_bot_auth: { 'expected-user-agent': 'LampFinder/1', trigger: 'fetcher', purpose: 'search', ips: [] },
    };
    const { cell } = judged({}, JSON.stringify(card));
    expect(cell).toMatchObject({
      status: 'partial',
      details: {
        note: 'no_keys_member',
        signatureAgent: {
          clientId: card.client_id,
          name: 'Lamp Finder',
          jwksUri: OWN,
          contacts: ['mailto:agent@example.com'],
          userAgent: 'LampFinder/1',
          trigger: 'fetcher',
          purpose: 'search',
        },
        findings: [{ id: 'keys_missing', at: 'keys' }],
      },
    });
    expect(judged({}, JSON.stringify({ client_id: 'x' })).cell.details).not.toHaveProperty('signatureAgent');
  });

  it('finds no directory in a UCP profile with keys', () => {
    const profile = json({ ucp: { version: '2026-08-25' }, keys: [ED.jwk] });
    expect(runDetector(tap, evidence({ '/.well-known/ucp': profile, [PATH]: status(404) })).cell.status).toBe('absent');
  });
});
