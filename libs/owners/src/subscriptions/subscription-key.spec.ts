import { keyHash, purchasedKey, randomKey } from './subscription-key';

const DIGEST = 'a'.repeat(64);

describe('the key of a subscription', () => {
  it('is the same for the same payment, and another for another payment or secret', () => {
    const key = purchasedKey('secret', DIGEST);
    expect(purchasedKey('secret', DIGEST)).toBe(key);
    expect(purchasedKey('secret', 'b'.repeat(64))).not.toBe(key);
    expect(purchasedKey('another', DIGEST)).not.toBe(key);
  });

  it('granted by the operator is random', () => {
    expect(randomKey()).not.toBe(randomKey());
  });

  it.each([randomKey(), purchasedKey('secret', DIGEST)])('%s is stored as 64 hex digits', (key) => {
    expect(key).toMatch(/^hps_[\w-]{43}$/);
    expect(keyHash(key)).toMatch(/^[0-9a-f]{64}$/);
  });

  it.each(['', 'hps_', 'hps_short', `hps_${'a'.repeat(44)}`, `HPS_${'a'.repeat(43)}`, `hps_${'é'.repeat(43)}`])(
    'is not %j',
    (text) => {
      expect(keyHash(text)).toBeUndefined();
    },
  );
});
