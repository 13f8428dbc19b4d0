import fc from 'fast-check';
import { tidy, visible } from '@app/detectors';
import { host } from './fixtures/hosts/full-store/host';
import { fixtureFiles, reportOf } from './support/fixture-host';
import { withText, withTextEverywhere } from './support/hostile-text';
import { leakedKeys } from './support/leaked-keys';

const FILES = fixtureFiles('full-store');
/** Every tenth place in the documents gets a key, with the formats in turn; `LEAKED_KEYS=1` uses every place. */
const STEP = Number(process.env['LEAKED_KEYS'] ?? '10');

describe('a private key that a host publishes by mistake', () => {
  it.each(leakedKeys('everywhere'))(
    'as $form is in no report, even if it is in every text of the host',
    async (key) => {
      const report = JSON.stringify(await reportOf(host, withTextEverywhere(FILES, key.text)));
      const at = report.indexOf(key.secret);
      expect(at < 0 ? '' : report.slice(Math.max(0, at - 150), at)).toBe('');
    },
  );

  it('is in no report, if it is in any single place', async () => {
    const places = withText(FILES, 'here').length;
    const found: string[] = [];
    for (let place = 0; place < places; place += STEP) {
      const keys = leakedKeys(`place ${place}`);
      const { form, text, secret } = keys[(place / STEP) % keys.length]!;
      const files = withText(FILES, text)[place];
      if (!files) continue;
      const report = JSON.stringify(await reportOf(host, files));
      const at = report.indexOf(secret);
      if (at >= 0) found.push(`${form} at ${place}: ${report.slice(Math.max(0, at - 150), at)}`);
    }
    expect(places).toBeGreaterThan(200);
    expect(found).toEqual([]);
  });

  it('is withheld under any name, unless the name says that it is public', () => {
    const part = (...words: readonly string[]) => fc.constantFrom(...words, ...words.map((word) => word.toUpperCase()));
    const labels = fc.tuple(
      part('', 'eth_', 'evm-', 'wallet ', 'x402'),
      part('key', 'secret', 'seed', 'private', 'sk'),
    );
    const between = fc.constantFrom('=', ': ', '="0x', "': '", '": "0x', ' = ');
    const value = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex'));
    fc.assert(
      fc.property(labels, between, value, ([prefix, label], sign, hex) => {
        expect(visible(`set ${prefix}${label}${sign}${hex}`)).toBe(visible('-----BEGIN PRIVATE KEY-----'));
        expect(tidy({ name: `${prefix}${label}`, value: hex })).toMatchObject({ value: '[withheld: a private key]' });
        for (const open of ['public_key', 'pubkey', 'Public Key', 'verification-key', 'payTo', 'sha256', 'asset']) {
          const text = `${open}${sign}${hex}`;
          expect([visible(text), tidy({ name: open, value: hex })]).toEqual([text, { name: open, value: hex }]);
        }
      }),
    );
  });

  it('is withheld as an array of bytes, and ordinary sentences do not count as wallet phrases', () => {
    const bytes = Array.from({ length: 64 }, (_, n) => n * 4);
    expect(tidy({ deployer: bytes })).toEqual({ deployer: '[withheld: a private key]' });
    expect(tidy({ sizes: bytes.slice(1) })).toEqual({ sizes: bytes.slice(1) });
    const sentence = 'Agents that want this must wait until their order will ship, then they can pay when asked';
    expect(visible(sentence)).toBe(sentence);
  });

  it('is withheld if its field name identifies it, and other values are quoted unchanged', () => {
    const hex = 'ab12'.repeat(16);
    const jwk = { kty: 'OKP', x: 'public', d: 'of a key' };
    expect(tidy({ privateKey: hex, sha256: hex, keys: [jwk], d: 'of no key' })).toEqual({
      privateKey: visible('-----BEGIN PRIVATE KEY-----'),
      sha256: hex,
      keys: [{ ...jwk, d: visible('-----BEGIN PRIVATE KEY-----') }],
      d: 'of no key',
    });
    expect(visible('-----BEGIN PRIVATE KEY-----')).toBe('[withheld: a private key]');
    expect(visible('-----BEGIN PUBLIC KEY-----')).toBe('-----BEGIN PUBLIC KEY-----');
  });
});
