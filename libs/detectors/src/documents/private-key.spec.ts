import { leakedPrivateKey } from './private-key';
import { showsPrivateKey } from '../quoting/key-text';

describe('leakedPrivateKey', () => {
  it.each([
    [
      'a scalar',
      {
        keys: [
          { kty: 'EC', crv: 'P-256', x: 'a', y: 'b' },
          { kty: 'OKP', x: 'a', d: 'secret' },
        ],
      },
      'keys[1].d',
    ],
    ['a symmetric key', { auth: { jwk: { kty: 'oct', k: 'secret' } } }, 'auth.jwk.k'],
    ['an RSA prime', [{ kty: 'RSA', n: 'n', e: 'AQAB', p: 'secret' }], '[0].p'],
    ['PEM text', { pem: '-----BEGIN EC PRIVATE KEY-----\nAA==' }, 'pem'],
    ['a PGP key', { pgp: '-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQ==' }, 'pgp'],
    ['an OpenSSH key', ['-----BEGIN OPENSSH PRIVATE KEY-----'], '[0]'],
    ['raw hex', { wallet: { privateKey: `0x${'5a'.repeat(32)}` } }, 'wallet.privateKey'],
    ['raw hex without a mark', { secret_key: '5A'.repeat(32) }, 'secret_key'],
    ['raw hex in text', { note: `PRIVATE_KEY=${'5a'.repeat(32)}` }, 'note'],
    ['base64', { agents: [{ 'private-key': 'q'.repeat(43) }] }, 'agents[0]["private-key"]'],
  ])('finds %s', (_, document, at) => {
    expect(leakedPrivateKey(document)).toBe(at);
  });

  it('accepts public keys and fields of other objects', () => {
    const document = {
      publicKey: '5a'.repeat(32),
      hash: `0x${'5a'.repeat(32)}`,
      privateKeyHelp: 'where to keep it',
      keys: [{ kty: 'RSA', n: 'n', e: 'AQAB' }],
      d: 1,
      pem: '-----BEGIN PUBLIC KEY-----',
    };
    expect(leakedPrivateKey(document)).toBeUndefined();
  });
});

describe('showsPrivateKey', () => {
  it.each([
    ['a key in broken JSON', '{"keys":[{"kty":"EC","d":"secret"},]}', true],
    ['a PGP key', '-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQ==', true],
    ['raw hex', `const privateKey = "0x${'5a'.repeat(32)}"`, true],
    ['a hash', `sha256: ${'5a'.repeat(32)}`, false],
    ['a PEM file', '-----BEGIN PRIVATE KEY-----\nAA==', true],
    ['a public key in broken JSON', '{"keys":[{"kty":"EC","x":"a"},]}', false],
    ['a page', '<p>-----BEGIN CERTIFICATE-----</p>', false],
  ])('recognizes %s', (_, body, expected) => {
    expect(showsPrivateKey(body)).toBe(expected);
  });
});
