import { generateKeyPairSync } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import fc from 'fast-check';
import { evidence, json } from '../../../../test/support/evidence';
import { a2a } from '../a2a/a2a.detector';
import { toBase64url } from '../formats/base64url';
import type { JsonObject } from '../formats/json';
import { runDetector } from '../run-detector';
import { tap } from '../tap/tap.detector';
import { ucp } from '../ucp/ucp.detector';

const DIRECTORY = '/.well-known/http-message-signatures-directory';
const ORIGIN = 'https://shop.example.com';

const jwkOf = (type: 'ed25519' | 'x25519' | 'ec', namedCurve = ''): JsonObject =>
  generateKeyPairSync(type as 'ec', { namedCurve }).publicKey.export({ format: 'jwk' }) as JsonObject;
const HONEST = [jwkOf('ed25519'), jwkOf('ec', 'P-256'), jwkOf('ec', 'P-384')];

const P = 2n ** 255n - 19n;
/** Little-endian, with the sign of x in the last bit (RFC 8032 section 5.1.2). */
const encoded = (y: bigint, sign = 0n): Uint8Array =>
  Uint8Array.from(Buffer.from((y + (sign << 255n)).toString(16).padStart(64, '0'), 'hex').toReversed());
const isPoint = (bytes: Uint8Array): boolean => {
  try {
    return ed25519.Point.fromBytes(bytes, true) instanceof ed25519.Point;
  } catch {
    return false;
  }
};
/** y of the points of order 1, 2, 4 and 8. */
const ORDER_8 = 2707385501144840649318225287225658788936804267575313519463743609750303021488n;
const smallOrder = fc
  .tuple(fc.constantFrom(0n, 1n, P - 1n, ORDER_8, P - ORDER_8), fc.constantFrom(0n, 1n))
  .map(([y, sign]) => encoded(y, sign));
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
const okp = (x: fc.Arbitrary<Uint8Array>) =>
  x.map((one): JsonObject => ({ kty: 'OKP', crv: 'Ed25519', x: toBase64url(one) }));

/** A coordinate with one bit flipped, and in another length. */
const turned = (encodedText: string, bit: number): string => {
  const bytes = Buffer.from(encodedText, 'base64url');
  bytes[bit >> 3]! ^= 1 << (bit & 7);
  return toBase64url(bytes);
};
const offCurve = fc
  .tuple(fc.constantFrom(...HONEST.slice(1)), fc.constantFrom('x', 'y'), fc.nat(255))
  .map(([key, name, bit]): JsonObject => ({ ...key, [name]: turned(key[name] as string, bit) }));
const lengthened = fc.tuple(fc.constantFrom(...HONEST), fc.constantFrom(-1, 1)).map(([key, by]): JsonObject => {
  const bytes = Buffer.from(key['x'] as string, 'base64url');
  return { ...key, x: toBase64url(by < 0 ? bytes.subarray(1) : Buffer.concat([Buffer.alloc(1), bytes])) };
});

const NO_KEYS = fc.oneof(
  okp(smallOrder),
  okp(bytes32.filter((bytes) => !isPoint(bytes))),
  okp(fc.tuple(fc.bigInt(P, 2n ** 255n - 1n), fc.constantFrom(0n, 1n)).map(([y, sign]) => encoded(y, sign))),
  offCurve,
  lengthened,
  fc.constant<JsonObject>({ ...jwkOf('x25519'), crv: 'X25519' }),
);

const isTaken = (key: JsonObject): Readonly<Record<string, boolean>> => {
  const directory = { [DIRECTORY]: json({ keys: [key] }) };
  const version = '2026-08-25';
  const services = { 'dev.ucp.shopping': [{ version, transport: 'embedded' }] };
  const profile = { ucp: { version, services, payment_handlers: {} }, keys: [{ kid: 'k', ...key }] };
  const { cell } = runDetector(ucp, evidence({ '/.well-known/ucp': json(profile) }));
  return {
    directory: runDetector(tap, evidence(directory)).cell.status === 'present',
    ucp: !JSON.stringify(cell).includes('key_undecodable'),
    card: stateOfCard(key) !== 'unknown_key',
  };
};

function stateOfCard(key: JsonObject): unknown {
  const alg = key['crv'] === 'P-256' ? 'ES256' : key['crv'] === 'P-384' ? 'ES384' : 'EdDSA';
  const jku = `${ORIGIN}/jwks.json`;
  const header = toBase64url(JSON.stringify({ alg, kid: 'k', jku }));
  // With the point of order 1 as the key, this signature is valid for every text.
  const signature = toBase64url(Buffer.concat([encoded(1n), Buffer.alloc(32)]));
  const interfaces = [{ url: `${ORIGIN}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }];
  const skills = [{ id: 'find', name: 'Find', description: 'Finds.', tags: [] }];
  const card = { name: 'A', supportedInterfaces: interfaces, skills, signatures: [{ protected: header, signature }] };
  const set = json({ keys: [{ ...key, kid: 'k' }] }, { phase: 'callability' });
  const seen = evidence({ '/.well-known/agent-card.json': json(card), [`GET ${jku}`]: set });
  return runDetector(a2a, seen).cell.details['signature'];
}

describe('a public key', () => {
  it.each(HONEST)('of a signer is accepted everywhere: $crv', (key) => {
    expect(isTaken(key)).toEqual({ directory: true, ucp: true, card: true });
  });

  it('is rejected everywhere if it is no point, not canonical, of small order or of wrong length', () => {
    fc.assert(
      fc.property(NO_KEYS, (key) => {
        // A profile may have keys of curves that no release defines.
        const ucpTakes = key['crv'] === 'X25519';
        expect(isTaken(key)).toEqual({ directory: false, ucp: ucpTakes, card: false });
      }),
      { numRuns: 150 },
    );
  });
});
