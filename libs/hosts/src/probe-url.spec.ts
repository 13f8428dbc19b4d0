import fc from 'fast-check';
import { parseProbeUrl, type ProbeUrlFault } from './probe-url';

const read = (raw: string) => {
  const reading = parseProbeUrl(raw);
  return reading.ok ? reading.url.href : reading.reason;
};

describe('parseProbeUrl', () => {
  it.each([
    ['https://example.org', 'https://example.org/'],
    ['https://example.org:443/quote', 'https://example.org/quote'],
    ['hTTps://API.Example.ORG/Quote?a=B', 'https://api.example.org/Quote?a=B'],
    ['https://example.org./quote', 'https://example.org/quote'],
    ['https://www.example.org/quote', 'https://www.example.org/quote'],
    ['https://example.org/x%2Fy', 'https://example.org/x%2Fy'],
    ['https://example.org/@me?mail=a@b.org', 'https://example.org/@me?mail=a@b.org'],
    ['https://example.org/quote#part', 'https://example.org/quote'],
    ['https://müller.example.org/', 'https://xn--mller-kva.example.org/'],
  ])('accepts %s', (raw, href) => {
    expect(read(raw)).toBe(href);
  });

  const refused: Record<Exclude<ProbeUrlFault, 'scheme'>, readonly string[]> = {
    empty: ['', ' '],
    url_too_long: [`https://example.org/${'q'.repeat(2_048)}`, `https://example.org/?${'é'.repeat(400)}`],
    forbidden_character: [
      'https://exam\nple.org/',
      'https://example.org/\tx',
      ' https://example.org/',
      'https://example.org/%00',
      'https:\\\\example.org/',
      'https:/\\/10.0.0.1/',
      'https://example.org\\@10.0.0.1/',
    ],
    not_https: [
      'http://example.org/',
      '//example.org/',
      '/etc/hosts',
      'example.org',
      'https:example.org',
      'https:/example.org',
      'file:///etc/hosts',
      'ftp://example.org/',
      'gopher://10.0.0.1:6379/_PING',
      'wss://example.org/',
      'data:text/plain,x',
      'javascript:alert(7)',
    ],
    malformed: ['https://', 'https:///example.org', 'https://-b.org/', 'https://b_c.org/', 'https://a..b.org/'],
    userinfo: ['https://me:secret@example.org/', 'https://example.org@10.0.0.1/', 'https://@example.org/'],
    port: [
      'https://example.org:8443/',
      'https://example.org:22/',
      'https://example.org:0/',
      'https://example.org:70000/',
    ],
    too_long: [`https://${'b'.repeat(64)}.org/`],
    single_label: ['https://metadata/'],
    ip_literal: [
      'https://10.0.0.1/',
      'https://10.0.0.1.:443/',
      'https://0x0a.1/',
      'https://167772161/',
      'https://①⓪.⓪.⓪.①/',
      'https://[::1]/',
      'https://[::ffff:a00:1]/',
      'https://[::10.0.0.1]/',
      'https://999.1.1.1/',
    ],
    special_use: ['https://localhost/', 'https://localhost:443/', 'https://metadata.google.internal/v1/'],
    public_suffix: ['https://co.uk/'],
  };
  it.each(Object.entries(refused).flatMap(([reason, raws]) => raws.map((raw) => [reason, raw] as const)))(
    'rejects as %s: %j',
    (reason, raw) => {
      expect(read(raw)).toBe(reason);
    },
  );

  it('counts a www. URL toward the host without www.', () => {
    expect(parseProbeUrl('https://www.example.org/a')).toMatchObject({
      ok: true,
      url: { host: { ascii: 'example.org' } },
    });
  });

  it('describes the fault in a sentence about the field', () => {
    expect(parseProbeUrl('http://example.org')).toMatchObject({
      sentence: 'url must be absolute and start with https://',
    });
    expect(parseProbeUrl('https://co.uk/')).toMatchObject({
      sentence: 'the host of url must be a name below a public suffix, not a public suffix itself',
    });
  });

  it('never throws and reads its own result as the same URL', () => {
    const urlish = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'binary' }).map((rest) => `https://${rest}`),
      fc.webUrl({ validSchemes: ['https'], withFragments: true, withQueryParameters: true }),
    );
    fc.assert(
      fc.property(urlish, (raw) => {
        const first = parseProbeUrl(raw);
        if (!first.ok) return;
        expect(parseProbeUrl(first.url.href)).toEqual(first);
      }),
      { numRuns: 1_000 },
    );
  });
});
