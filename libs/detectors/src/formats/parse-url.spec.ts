import { parseUrl } from './parse-url';

describe('parseUrl', () => {
  it('resolves against a base and rejects invalid URLs', () => {
    expect(parseUrl('/b', 'https://example.org/a')?.href).toBe('https://example.org/b');
    expect(parseUrl('/b')).toBeUndefined();
    expect(parseUrl('https://')).toBeUndefined();
  });

  it('rejects a URL that is longer than servers accept', () => {
    expect(parseUrl(`https://example.org/${'a'.repeat(8_000)}`)).toBeDefined();
    expect(parseUrl(`https://example.org/${'{'.repeat(1_000_000)}`)).toBeUndefined();
  });

  it('still reads Latin-1 host names after many calls', () => {
    for (let turn = 0; turn < 20_000; turn += 1) {
      if (parseUrl('https://bücher.example/') === undefined) throw new Error(`lost in call ${turn}`);
    }
    expect(parseUrl('https://bücher.example/')?.hostname).toBe('xn--bcher-kva.example');
  });
});
