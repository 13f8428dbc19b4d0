import fc from 'fast-check';
import { WebhookKeys } from '@app/owners';
import { openSecret, sealSecret } from './webhook-secret';

const KEYS = new WebhookKeys('a secret of this test alone');

describe('the secret of a receiver', () => {
  it('can be decrypted by the workers, for its own watch only', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), fc.string(), (watch, other, secret) => {
        const sealed = sealSecret(KEYS.published.sealing, watch, secret);
        expect(sealed).toMatch(/^sealed:[\w-]{40,}$/);
        expect(openSecret(KEYS, watch, sealed)).toBe(secret);
        fc.pre(watch !== other);
        expect(openSecret(KEYS, other, sealed)).toBeUndefined();
        expect(openSecret(new WebhookKeys(other), watch, sealed)).toBeUndefined();
      }),
      { numRuns: 20 },
    );
  });

  it('cannot be decrypted if it was changed or is invalid', () => {
    const sealed = sealSecret(KEYS.published.sealing, 'a', 'secret');
    expect(openSecret(KEYS, 'a', `${sealed.slice(0, -2)}AA`)).toBeUndefined();
    const noPoint = `sealed:${Buffer.alloc(80).toString('base64url')}`;
    for (const broken of ['clear text', 'sealed:', 'sealed:AAAA', sealed.slice(0, 40), noPoint])
      expect(openSecret(KEYS, 'a', broken)).toBeUndefined();
  });
});
