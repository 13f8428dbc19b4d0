import { generateKeyPairSync, verify, type KeyObject } from 'node:crypto';
import { cdpAuth, staticAuth } from './cdp-auth';

const URL = 'https://facilitator.example.com/platform/v2/x402';
const NOW = Date.parse('2026-11-01T12:00:00Z');

function open(authorization: string | undefined): {
  header: unknown;
  claims: unknown;
  signed: Buffer;
  signature: Buffer;
} {
  const [header = '', claims = '', signature = ''] = (authorization ?? '').replace(/^Bearer /, '').split('.');
  const parse = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  return {
    header: parse(header),
    claims: parse(claims),
    signed: Buffer.from(`${header}.${claims}`),
    signature: Buffer.from(signature, 'base64url'),
  };
}

const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const ed = generateKeyPairSync('ed25519');
const { d, x } = ed.privateKey.export({ format: 'jwk' });
const edSecret = Buffer.concat([Buffer.from(d!, 'base64url'), Buffer.from(x!, 'base64url')]).toString('base64');
const pem = ec.privateKey.export({ type: 'sec1', format: 'pem' }).toString();

describe('cdpAuth', () => {
  it.each<[string, string, string, (signed: Buffer, signature: Buffer) => boolean]>([
    ['an EC key', pem, 'ES256', (data, signature) => verifyEc(ec.publicKey, data, signature)],
    ['an EC key in one line', pem.replaceAll('\n', '\\n'), 'ES256', (data, s) => verifyEc(ec.publicKey, data, s)],
    ['an Ed25519 key', edSecret, 'EdDSA', (data, signature) => verify(null, data, ed.publicKey, signature)],
  ])('signs a token for each call with %s', async (_, secret, alg, verified) => {
    const headers = await cdpAuth(URL, { id: 'organizations/a/apiKeys/b', secret }, () => NOW)();
    for (const [call, uri] of [
      ['verify', 'POST facilitator.example.com/platform/v2/x402/verify'],
      ['settle', 'POST facilitator.example.com/platform/v2/x402/settle'],
      ['supported', 'GET facilitator.example.com/platform/v2/x402/supported'],
    ] as const) {
      const { header, claims, signed, signature } = open(headers[call]['authorization']);
      expect(header).toMatchObject({ alg, typ: 'JWT', kid: 'organizations/a/apiKeys/b' });
      expect(claims).toMatchObject({
        sub: 'organizations/a/apiKeys/b',
        iss: 'cdp',
        uris: [uri],
        nbf: NOW / 1_000,
        exp: NOW / 1_000 + 120,
      });
      expect(verified(signed, signature)).toBe(true);
    }
  });

  it('rejects a secret that is not a key, without quoting it', () => {
    const make = () => cdpAuth(URL, { id: 'a', secret: 'hunter2' });
    expect(make).toThrow('CDP_API_KEY_SECRET must be a PEM private key');
    expect(make).not.toThrow('hunter2');
  });
});

describe('staticAuth', () => {
  it('sends the same header with every call, in a new object', async () => {
    const headers = await staticAuth('Bearer abc')();
    expect(headers).toEqual({
      verify: { authorization: 'Bearer abc' },
      settle: { authorization: 'Bearer abc' },
      supported: { authorization: 'Bearer abc' },
    });
    expect(headers.verify).not.toBe(headers.settle);
  });
});

function verifyEc(key: KeyObject, data: Buffer, signature: Buffer): boolean {
  return verify('sha256', data, { key, dsaEncoding: 'ieee-p1363' }, signature);
}
