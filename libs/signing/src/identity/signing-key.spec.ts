import { generateKeyPairSync } from 'node:crypto';
import { newSigningKey, readSigningKey } from './signing-key';

const pem = newSigningKey();
const jwk = JSON.stringify(readSigningKey(pem).export({ format: 'jwk' }));
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('a signing key', () => {
  it.each([
    ['PEM', pem],
    ['PEM in base64', base64(pem)],
    ['a JWK', jwk],
    ['a JWK in base64', base64(jwk)],
  ])('is read from %s', (_form, text) => {
    expect(readSigningKey(text).export({ type: 'pkcs8', format: 'pem' })).toBe(pem);
  });

  it('is new each time', () => {
    expect(newSigningKey()).not.toBe(pem);
  });

  const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey;
  it.each([
    ['nothing', ''],
    ['a word', 'swordfish'],
    ['a public key', JSON.stringify({ kty: 'OKP', crv: 'Ed25519', x: 'a'.repeat(43) })],
    ['an RSA key', rsa.export({ type: 'pkcs8', format: 'pem' }).toString()],
  ])('is rejected if it is %s, without quoting it', (_form, text) => {
    expect(() => readSigningKey(text)).toThrow(/^PROBE_SIGNING_KEY must be an Ed25519 private key: [^:]*$/);
  });
});
