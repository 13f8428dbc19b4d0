import { generateKeyPairSync } from 'node:crypto';
import type { JsonObject } from '../formats/json';
import { readSigningKey } from './signing-key';

const NOW = Date.parse('2026-11-01T12:00:00Z') / 1_000;
/** A public key that is not in any specification, and its thumbprint. */
const ED25519 = { kty: 'OKP', crv: 'Ed25519', x: 'wxQmWdK7PN9YuRd0x9neqdyU8Ci8id-P0wILkQNYN3o' };
const THUMBPRINT = '0SR4so1CRAu4rdPNGsyvE97uG5v_8UfiZxa8JkzmOSQ';

const read = (more: Readonly<Record<string, unknown>> = {}) => readSigningKey({ ...ED25519, ...more }, NOW);
const publicJwk = (pair: { publicKey: { export(options: { format: 'jwk' }): unknown } }) =>
  pair.publicKey.export({ format: 'jwk' }) as JsonObject;

describe('readSigningKey', () => {
  it('treats an Ed25519 key without other fields as active', () => {
    expect(read()).toEqual({ algorithm: 'ed25519', usable: true, active: true, faults: [], kidIsThumbprint: null });
  });

  it.each([
    ['P-256', 'ecdsa-p256-sha256'],
    ['P-384', 'ecdsa-p384-sha384'],
  ])('accepts a key on %s', (namedCurve, algorithm) => {
    const key = publicJwk(generateKeyPairSync('ec', { namedCurve }));
    expect(readSigningKey(key, NOW)).toMatchObject({ algorithm, active: true });
  });

  it('accepts an RSA key of 2048 bits and rejects a shorter one', () => {
    const key = (modulusLength: number) => publicJwk(generateKeyPairSync('rsa', { modulusLength }));
    expect(readSigningKey(key(2_048), NOW)).toMatchObject({ algorithm: 'rsa-pss-sha512', active: true });
    expect(readSigningKey(key(1_024), NOW)).toMatchObject({ usable: false, faults: ['key_undecodable'] });
  });

  it('compares kid with the RFC 7638 thumbprint', () => {
    expect(read({ kid: THUMBPRINT })).toMatchObject({ kidIsThumbprint: true, faults: [] });
    expect(read({ kid: 'shop-2026' })).toMatchObject({
      kidIsThumbprint: false,
      active: true,
      faults: ['kid_not_thumbprint'],
    });
  });

  it.each([
    ['a placeholder', { x: 'placeholder-public-key-for-discovery' }, 'key_undecodable'],
    ['one byte repeated', { x: 'A'.repeat(43) }, 'key_undecodable'],
    ['a curve we do not know', { crv: 'secp256k1' }, 'key_undecodable'],
    ['a key for encryption', { use: 'enc' }, 'key_not_for_signing'],
    ['a private key', { d: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A' }, 'private_key_exposed'],
  ])('rejects %s', (_, change, fault) => {
    expect(read(change)).toMatchObject({ usable: false, active: false, faults: [fault] });
  });

  it.each([
    ['expired', { exp: NOW }, false, ['key_expired']],
    ['not yet valid', { nbf: NOW + 1 }, false, ['key_not_yet_valid']],
    ['inside its window', { nbf: NOW, exp: NOW + 1 }, true, []],
    ['in milliseconds', { exp: (NOW + 60) * 1_000 }, true, ['time_in_milliseconds']],
    ['in milliseconds and expired', { exp: (NOW - 60) * 1_000 }, false, ['key_expired', 'time_in_milliseconds']],
    ['in words', { exp: 'never' }, true, ['time_not_a_number']],
  ])('evaluates a validity period that is %s', (_, change, active, faults) => {
    expect(read(change)).toMatchObject({ active, faults });
  });

  it('distinguishes JOSE and HTTP algorithm names', () => {
    expect(read({ alg: 'ed25519' }).faults).toEqual([]);
    expect(read({ alg: 'EdDSA' })).toMatchObject({ active: true, faults: ['alg_is_jose_name'] });
    expect(read({ alg: 'rot13' }).faults).toEqual(['alg_unknown']);
  });

  it('rejects a key that is not an object', () => {
    expect(readSigningKey('ssh-ed25519 AAAA', NOW)).toMatchObject({ usable: false, faults: ['key_not_an_object'] });
  });
});
