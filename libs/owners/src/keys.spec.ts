import { keyHash, newKey, purchasedKey, purchasedWatch } from './keys';

const DIGEST = 'a'.repeat(64);

describe('a key', () => {
  it('that was bought is the same for the same payment, and differs for another payment or secret', () => {
    const made = (secret: string, digest: string): readonly string[] => {
      return [purchasedKey(secret, digest), ...Object.values<string>({ ...purchasedWatch(secret, digest) })];
    };
    expect(made('secret', DIGEST)).toEqual(made('secret', DIGEST));
    const all = [made('secret', DIGEST), made('secret', 'b'.repeat(64)), made('another', DIGEST)].flat();
    expect(new Set(all).size).toBe(9);
  });

  it.each(['claim', 'subscription', 'watch'] as const)('of a %s is random', (of) => {
    expect(newKey(of)).not.toBe(newKey(of));
  });

  it.each([
    ['hpo_', newKey('claim')],
    ['hps_', newKey('subscription')],
    ['hpw_', newKey('watch')],
    ['hps_', purchasedKey('secret', DIGEST)],
    ['hpw_', purchasedWatch('secret', DIGEST).key],
  ])('starts with %s and is stored as 64 hex digits', (prefix, key) => {
    expect([key.slice(0, 4), key.slice(4), keyHash(key)]).toEqual([
      prefix,
      expect.stringMatching(/^[\w-]{43}$/),
      expect.stringMatching(/^[0-9a-f]{64}$/),
    ]);
  });
});
