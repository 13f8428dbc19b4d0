import { createECDH, createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { evidence, json } from '../../../../test/support/evidence';
import type { JsonObject } from '../formats/json';
import { runDetector } from '../run-detector';
import { tap } from './tap.detector';
import { readSigningKey } from './signing-key';

/** 2026-11-01, between the times below. */
const NOW = 1_793_534_400;

/** The public key of an Ed25519 seed in hex. */
function ed25519(seed: string): JsonObject {
  const key = Buffer.from(`302e020100300506032b657004220420${seed}`, 'hex');
  return createPublicKey(createPrivateKey({ key, format: 'der', type: 'pkcs8' })).export({
    format: 'jwk',
  }) as JsonObject;
}

/** The public key of a P-256 key in base64url. */
function p256(d: string): JsonObject {
  const pair = createECDH('prime256v1');
  pair.setPrivateKey(Buffer.from(d, 'base64url'));
  const point = pair.getPublicKey();
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((bytes) => bytes.toString('base64url'));
  return { kty: 'EC', crv: 'P-256', x, y };
}

/** Private keys as the specifications print them; for RSA keys the modulus. */
const PUBLISHED: readonly JsonObject[] = [
  ...[
    '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    'c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7',
    'f5e5767cf153319517630f226876b86c8160cc583bc013744c6bf255f5cc0ee5',
    '833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42',
    '00'.repeat(32),
  ].map(ed25519),
  ...[
    'UpuF81l-kOxbjf7T4mNSv0r5tN67Gim7rnf6EFpcYDs',
    '870MB6gfuTJ4HtUnUvYMyJpr5eUZNP4Bk43bVdj3eAE',
    'jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI',
  ].map(p256),
  { kty: 'OKP', crv: 'Ed25519', x: 'JrQLj5P_89iXES9-vFgrIy29clF9CC_oPPsw3c5D0bs' },
  {
    kty: 'RSA',
    e: 'AQAB',
    n: 'r4tmm3r20Wd_PbqvP1s2-QEtvpuRaV8Yq40gjUR8y2Rjxa6dpG2GXHbPfvMs8ct-Lh1GH45x28Rw3Ry53mm-oAXjyQ86OnDkZ5N8lYbggD4O3w6M6pAvLkhk95AndTrifbIFPNU8PPMO7OyrFAHqgDsznjPFmTOtCEcN2Z1FpWgchwuYLPL-Wokqltd11nqqzi-bJ9cvSKADYdUAAN5WUtzdpiy6LbTgSxP7ociU4Tn0g5I6aDZJ7A8Lzo0KSyZYoA485mqcO0GVAdVw9lq4aOT9v6d-nb4bnNkQVklLQ3fVAvJm-xdDOp9LCNCN48V2pnDOkFV6-U9nV5oyc6XI2w',
  },
];

/** Other fields around the key, which do not matter. */
const dressing = fc.record(
  {
    kid: fc.string({ maxLength: 60 }),
    use: fc.constant('sig'),
    alg: fc.constantFrom('ed25519', 'EdDSA', 'ecdsa-p256-sha256'),
    nbf: fc.constant(NOW - 1_000),
    exp: fc.constantFrom(NOW - 10, NOW + 1_000),
    note: fc.jsonValue() as fc.Arbitrary<JsonObject>,
  },
  { requiredKeys: [] },
);

const directory = (keys: readonly JsonObject[]) =>
  runDetector(tap, evidence({ '/.well-known/http-message-signatures-directory': json({ keys }) }));

describe('a key whose private key is published', () => {
  it('is recognized as a test key with any other fields and field order', () => {
    fc.assert(
      fc.property(fc.constantFrom(...PUBLISHED), dressing, fc.boolean(), (key, more, first) => {
        const read = readSigningKey(first ? { ...key, ...more } : { ...more, ...key }, NOW);
        expect(read).toMatchObject({ usable: false, active: false });
        expect(read.faults).toContain('test_key');
      }),
    );
  });

  it('makes a directory partial if it is the only key, and otherwise is a finding', () => {
    const own = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }) as JsonObject;
    fc.assert(
      fc.property(fc.subarray([...PUBLISHED], { minLength: 1 }), (keys) => {
        const { cell, fixes } = directory(keys);
        expect(cell).toMatchObject({ status: 'partial', details: { note: 'test_key' } });
        expect(fixes).toMatchObject([{ id: 'tap.partial', problem: expect.stringContaining('test key') }]);
        const beside = directory([...keys, own]);
        expect(beside.cell.status).toBe('present');
        expect(beside.cell.details['findings']).toEqual(expect.arrayContaining([{ id: 'test_key', at: 'keys[0]' }]));
      }),
      { numRuns: 30 },
    );
  });

  it('is never confused with a new key', () => {
    for (let i = 0; i < 20; i += 1) {
      const key = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }) as JsonObject;
      expect(readSigningKey(key, NOW)).toMatchObject({ active: true, faults: [] });
    }
  });
});
