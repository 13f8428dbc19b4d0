import { leakedPrivateKey, showsPrivateKey } from './private-key';

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
  ])('finds %s', (_, document, at) => {
    expect(leakedPrivateKey(document)).toBe(at);
  });

  it('lets public keys and members of other objects pass', () => {
    const document = { keys: [{ kty: 'RSA', n: 'n', e: 'AQAB' }], d: 1, pem: '-----BEGIN PUBLIC KEY-----' };
    expect(leakedPrivateKey(document)).toBeUndefined();
  });
});

describe('showsPrivateKey', () => {
  it.each([
    ['a key in broken JSON', '{"keys":[{"kty":"EC","d":"secret"},]}', true],
    ['a PEM file', '-----BEGIN PRIVATE KEY-----\nAA==', true],
    ['a public key in broken JSON', '{"keys":[{"kty":"EC","x":"a"},]}', false],
    ['a page', '<p>-----BEGIN CERTIFICATE-----</p>', false],
  ])('answers for %s', (_, body, expected) => {
    expect(showsPrivateKey(body)).toBe(expected);
  });
});
