import fc from 'fast-check';
import { countedName, HostName } from './host-name';
import type { HostFault } from './host-rules';

const read = (raw: string) => {
  const reading = HostName.parse(raw);
  return reading.ok ? reading.host.ascii : reading.reason;
};

describe('HostName', () => {
  it.each([
    ['a plain name', 'shop.example.org', 'shop.example.org'],
    ['capitals', 'Shop.EXAMPLE.org', 'shop.example.org'],
    ['a trailing dot', 'shop.example.org.', 'shop.example.org'],
    ['surrounding spaces', '  example.org ', 'example.org'],
    ['a leading www.', 'www.example.org', 'example.org'],
    ['several leading www.', 'www.www.example.org', 'example.org'],
    ['a scheme, port, path and query', 'https://www.Example.org:8443/shop?item=7', 'example.org'],
    ['plain http', 'http://example.org/', 'example.org'],
    ['a query without a path', 'example.org?x=1', 'example.org'],
    ['an empty port', 'example.org:', 'example.org'],
    ['Unicode', 'müller.example.org', 'xn--mller-kva.example.org'],
    ['Unicode with an ideographic full stop', 'müller。example。org', 'xn--mller-kva.example.org'],
    ['sharp s, kept apart from ss by UTS 46', 'straße.de', 'xn--strae-oqa.de'],
    ['an A-label', 'xn--mller-kva.example.org', 'xn--mller-kva.example.org'],
    ['Cyrillic letters with the shape of Latin ones, shown as they are', 'сор.com', 'xn--n1aeb.com'],
    ['a percent-encoded letter, decoded once', 'e%78ample.org', 'example.org'],
    ['labels that start with digits', '7eleven.24.example.org', '7eleven.24.example.org'],
    ['a name that starts like a hexadecimal number', '0x12.org', '0x12.org'],
    ['double hyphens that are not punycode', 'r3---sn.example.org', 'r3---sn.example.org'],
    ['a top-level domain that is not delegated', 'x.y', 'x.y'],
    ['a label of 63 characters', `${'b'.repeat(63)}.org`, `${'b'.repeat(63)}.org`],
    ['www. where it is the registrable label', 'www.gov.uk', 'www.gov.uk'],
    ['an exception of the public suffix list', 'www.ck', 'www.ck'],
    ['the bare domain of a hosting provider', 'itch.io', 'itch.io'],
  ])('accepts %s', (_, raw, ascii) => {
    expect(read(raw)).toBe(ascii);
  });

  const refused: Record<HostFault, readonly string[]> = {
    empty: ['', '   ', '/', '?', 'https://', 'https:///example.org', '//example.org', '.', 'https://?x'],
    too_long: [`${'b'.repeat(64)}.org`, `${'ab.'.repeat(90)}org`, 'a'.repeat(3_000)],
    forbidden_character: [
      'exam\tple.org',
      'exam\nple.org',
      'example.org\r\nX-Evil: 1',
      'example.org\u0000.evil.org',
      'example.org\u0085',
      'example.org%00.evil.org',
      'example.org#.evil.org',
      'evil.org@example.org',
      'user:secret@example.org',
      'example.org\\.evil.org',
      '10.1.1.1:443\\@10.2.2.2:443',
      '10.1.1.1#@10.2.2.2',
      'a..example.org',
      'example.org/../../etc/shadow',
      '...',
    ],
    scheme: ['ftp://example.org', 'file:///etc/hosts', 'gopher://example.org', '://example.org'],
    malformed: [
      '-b.org',
      'b-.org',
      'b_c.org',
      '*.example.org',
      'exa mple.org',
      'javascript:alert(7)',
      'example.org:99999',
      'example.org:80:80',
      '%2e%2e%2fadmin',
      'a%2fb.org',
      'a%2e%2eb.org',
      'a%2500b.org',
      'evil＠example.org',
      'example.org／x',
      'a．．b.org',
      'xn--a.org',
      'xn--9999999-.org',
      '<b>.org',
      '例え\u2028.org',
    ],
    single_label: ['com', 'intranetz', 'xn--p1ai', 'metadata'],
    ip_literal: [
      '192.0.2.7',
      '1.1.1.1',
      '10.0.0.1:8080',
      '10.0.0.1.',
      'http://10.0.0.1/latest',
      '012.0.0.1',
      '0x0a.0.0.1',
      '0xa000001',
      '167772161',
      '01200000001',
      '10.1',
      '10.0.1',
      '0',
      '09.9.9.9',
      '300.1.1.1',
      '1.2.3.4.5.6',
      'name.0x1f',
      '4294967296',
      '7147006463',
      '0x42424242A9FEA9FE',
      '000251.0376.00251.000376',
      '00',
      '0000::2',
      '０１２.0.0.1',
      '①⓪.⓪.⓪.①',
      '10。0。0。1',
      '::1',
      '[::1]',
      '[::1',
      '[::ffff:10.0.0.1]',
      '[::10.0.0.1]',
      '[fe80::1%25eth1]',
      '2001:db8::7',
    ],
    special_use: [
      'localhost',
      'LocalHost.',
      'api.localhost',
      'ｌｏｃａｌｈｏｓｔ',
      'localhost.localdomain',
      'nas.local',
      'gateway.lan',
      'db.internal',
      'metadata.google.internal',
      'web.default.svc',
      'web.default.svc.cluster.local',
      'nas.home.arpa',
      '1.0.0.10.in-addr.arpa',
      'abcdef.onion',
      'printer.local.',
      'host.test',
      'host.invalid',
      'wiki.corp',
      'name.alt',
    ],
    public_suffix: ['co.uk', 'gov.uk', 'co.uk.', 'com.br', 'anything.ck', 'https://co.jp/'],
  };
  it.each(Object.entries(refused).flatMap(([reason, raws]) => raws.map((raw) => [reason, raw] as const)))(
    'rejects as %s: %j',
    (reason, raw) => {
      expect(read(raw)).toBe(reason);
    },
  );

  it('describes the fault in a sentence about the field, without quoting the input', () => {
    expect(HostName.parse('10.0.0.1')).toEqual({
      ok: false,
      reason: 'ip_literal',
      sentence: 'domain must be a host name, not an IP address',
    });
  });

  it.each([
    ['api.shop.example.co.uk', 'example.co.uk'],
    ['example.org', 'example.org'],
    ['alice.github.io', 'alice.github.io'],
    ['api.alice.github.io', 'alice.github.io'],
    ['github.io', 'github.io'],
    ['x.y', 'x.y'],
  ])('assigns %s to the site %s', (raw, site) => {
    expect(HostName.parse(raw)).toMatchObject({ ok: true, host: { site, origin: `https://${raw}` } });
  });

  it('is immutable and prints as its name', () => {
    const reading = HostName.parse('example.org');
    if (!reading.ok) throw new Error(reading.sentence);
    expect(Object.isFrozen(reading.host)).toBe(true);
    expect(`${reading.host.toString()} ${JSON.stringify({ reading: reading.host })}`).toBe(
      'example.org {"reading":"example.org"}',
    );
  });

  const hostish = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.webUrl({ withQueryParameters: true }),
    fc.domain(),
    fc.ipV4Extended(),
    fc.ipV6(),
    fc
      .array(
        fc.constantFrom('www', '.', 'a', 'xn--', '%2e', ':', '/', '[', ']', 'ß', '。', '1', '0x', '@', ' ', 'co.uk'),
      )
      .map((parts) => parts.join('')),
  );

  it('never throws, and parsing the result again gives the same name', () => {
    fc.assert(
      fc.property(hostish, (raw) => {
        const first = HostName.parse(raw);
        if (!first.ok) return;
        expect(HostName.parse(first.host.ascii)).toEqual(first);
        expect(HostName.parse(`${first.host.origin}/any?path`)).toEqual(first);
      }),
      { numRuns: 1_000 },
    );
  });

  it('only contains lower-case letters, digits, dots and hyphens, and is never an IP address', () => {
    fc.assert(
      fc.property(hostish, (raw) => {
        const reading = HostName.parse(raw);
        if (!reading.ok) return;
        expect(reading.host.ascii).toMatch(/^(?=.{4,253}$|.{3}$)[a-z0-9-]+(\.[a-z0-9-]+)+$/);
        expect(reading.host.ascii).not.toMatch(/\.\d+$/);
        expect(`.${reading.host.ascii}`.endsWith(`.${reading.host.site}`)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('countedName', () => {
  it.each([
    ['shop.example.com', 'shop.example.com'],
    ['www.example.com', 'example.com'],
    ['127.0.0.1', '127.0.0.1'],
    ['', ''],
  ])('of %j is %j', (hostname, name) => {
    expect(countedName(hostname)).toBe(name);
  });
});
