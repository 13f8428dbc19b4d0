import { constants, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { claimStatement, type Stated } from '@app/claims';
import * as fc from 'fast-check';
import { signingKey } from './signed-statement';

const NOW = new Date('2026-11-23T16:00:00.000Z');
const EXPIRES = '2026-11-23T16:09:59.000Z';
const STATED: Stated = {
  domain: 'shop.example.com',
  keyHash: 'a'.repeat(64),
  service: 'https://probe.example.com',
  nonce: 'b'.repeat(64),
};
const KINDS = [
  { pair: generateKeyPairSync('ed25519'), hash: null, options: {} },
  { pair: generateKeyPairSync('ec', { namedCurve: 'P-256' }), hash: 'sha256', options: { dsaEncoding: 'ieee-p1363' } },
  { pair: generateKeyPairSync('ec', { namedCurve: 'P-384' }), hash: 'sha384', options: { dsaEncoding: 'ieee-p1363' } },
  {
    pair: generateKeyPairSync('rsa', { modulusLength: 2_048 }),
    hash: 'sha512',
    options: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 64 },
  },
] as const;
const kind = fc.constantFrom(...KINDS);
const jwkOf = (key: KeyObject): object => key.export({ format: 'jwk' });

function signedBy({ pair, hash, options }: (typeof KINDS)[number], text: string, expires = EXPIRES) {
  const signature = sign(hash, Buffer.from(text), { key: pair.privateKey, ...options }).toString('base64url');
  return { expires, key: jwkOf(pair.publicKey), signature };
}
const read = (body: unknown, stated = STATED): unknown => {
  try {
    return signingKey(body, stated, NOW);
  } catch (error) {
    return (error as { readonly code: unknown }).code;
  }
};
const INVALID = 'claim_signature_invalid';

describe('a signed statement', () => {
  it.each(KINDS.map((one) => [one.pair.publicKey.asymmetricKeyType, one] as const))(
    'by a key of type %s names its thumbprint',
    (_, one) => {
      expect(read(signedBy(one, claimStatement(STATED, EXPIRES)))).toMatch(/^[\w-]{43}$/);
    },
  );

  it('of another host, key, service, challenge or time is refused', () => {
    const member = fc.constantFrom('domain', 'keyHash', 'service', 'nonce');
    fc.assert(
      fc.property(kind, member, fc.string(), (one, changed, value) => {
        fc.pre(value !== STATED[changed]);
        const body = signedBy(one, claimStatement({ ...STATED, [changed]: value }, EXPIRES));
        expect(read(body)).toBe(INVALID);
        expect(read({ ...body, expires: '2026-11-23T16:09:58.000Z' })).toBe(INVALID);
      }),
      { numRuns: 40 },
    );
  });

  it('that is over, or is to hold for longer, is refused', () => {
    fc.assert(
      fc.property(
        kind,
        fc.oneof(fc.integer({ min: -1e9, max: 0 }), fc.integer({ min: 600_001, max: 1e9 })),
        (one, ms) => {
          const expires = new Date(NOW.getTime() + ms).toISOString();
          expect(read(signedBy(one, claimStatement(STATED, expires), expires))).toBe(INVALID);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('by a key whose private half is sent along, or by another key, is refused', () => {
    fc.assert(
      fc.property(kind, kind, (one, other) => {
        const body = signedBy(one, claimStatement(STATED, EXPIRES));
        expect(read({ ...body, key: jwkOf(one.pair.privateKey) })).toBe(INVALID);
        fc.pre(one !== other);
        expect(read({ ...body, key: jwkOf(other.pair.publicKey) })).toBe(INVALID);
      }),
      { numRuns: 20 },
    );
  });

  it('that is anything else is refused, and nothing is thrown but that', () => {
    const body = signedBy(KINDS[0], claimStatement(STATED, EXPIRES));
    const wrong = fc
      .constantFrom('expires', 'key', 'signature')
      .chain((member) => fc.oneof(fc.jsonValue(), fc.string()).map((value) => ({ ...body, [member]: value })));
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), wrong), (raw) => {
        expect(read(raw)).toBe(INVALID);
      }),
    );
  });
});
