import fc from 'fast-check';
import { Vault, type VaultPurpose } from './vault';

const PURPOSES: readonly VaultPurpose[] = ['server_secret', 'payment', 'payment_name', 'evidence'];
const purpose = fc.constantFrom(...PURPOSES);

describe('a vault', () => {
  const vault = new Vault('one');

  it('decrypts what it encrypted, as text and bytes, with a new ciphertext each time', () => {
    fc.assert(
      fc.property(purpose, fc.string({ unit: 'binary' }), fc.uint8Array(), (use, subject, bytes) => {
        const sealed = vault.seal(use, subject, bytes);
        expect(vault.open(use, subject, sealed)).toEqual(Buffer.from(bytes));
        expect(sealed).not.toEqual(vault.seal(use, subject, bytes));
        expect(vault.openText(use, subject, vault.sealText(use, subject, subject.toWellFormed()))).toBe(
          subject.toWellFormed(),
        );
      }),
    );
  });

  it('decrypts nothing from another key, purpose or row, and nothing that was changed', () => {
    fc.assert(
      fc.property(purpose, fc.uint8Array({ minLength: 1 }), fc.nat(), (use, bytes, at) => {
        const sealed = vault.seal(use, 'row', bytes);
        expect(new Vault('other').open(use, 'row', sealed)).toBeUndefined();
        expect(vault.open(use, 'row 2', sealed)).toBeUndefined();
        for (const other of PURPOSES) if (other !== use) expect(vault.open(other, 'row', sealed)).toBeUndefined();
        sealed[at % sealed.length]! ^= 1;
        expect(vault.open(use, 'row', sealed)).toBeUndefined();
      }),
    );
  });

  it('hashes a text to a constant value that differs for every key and purpose', () => {
    const hashes = PURPOSES.flatMap((use) => ['one', 'two'].map((key) => new Vault(key).keyedHash(use, 'order-17')));
    expect(new Set(hashes).size).toBe(hashes.length);
    expect(vault.keyedHash('payment_name', 'order-17')).toBe(new Vault('one').keyedHash('payment_name', 'order-17'));
  });
});
