import { isRedirect, redirectStep } from './redirect-policy';

const FROM = new URL('https://shop.example.com/.well-known/ucp');
const step = (location: string | undefined, visited: readonly string[] = [FROM.href]) =>
  redirectStep(FROM, location, new Set(visited), 'example.com');

describe('a redirect', () => {
  it.each([
    ['a relative path', '/profile.json', 'https://shop.example.com/profile.json'],
    ['a sibling path', 'other', 'https://shop.example.com/.well-known/other'],
    ['another name of the site', 'https://www.example.com/x', 'https://www.example.com/x'],
    ['the apex', '//example.com/x', 'https://example.com/x'],
    ['the default port by number', 'https://shop.example.com:443/x', 'https://shop.example.com/x'],
    ['a fragment', '/x#part', 'https://shop.example.com/x'],
  ])('is followed to %s', (_what, location, url) => {
    expect(step(location)).toEqual({ kind: 'follow', url: new URL(url) });
  });

  it.each([301, 302, 303, 307, 308])('has the status %d', (status) => {
    expect(isRedirect(status)).toBe(true);
  });

  it.each([
    ['plain http', 'http://shop.example.com/x'],
    ['another port', 'https://shop.example.com:8443/x'],
    ['a password', 'https://me:pw@shop.example.com/x'],
    ['the metadata address', 'http://169.254.169.254/latest/meta-data/'],
    ['an IPv4 literal', 'https://10.0.0.1/'],
    ['an IPv4 literal in disguise', 'https://0x7f.1/'],
    ['an IPv6 literal', 'https://[::ffff:7f00:1]/'],
    ['a scheme-relative literal', '//127.0.0.1/x'],
    ['localhost', 'https://localhost/'],
    ['an internal name', 'https://metadata.google.internal/'],
    ['a file', 'file:///etc/passwd'],
    ['a data: URL', 'data:application/json,{}'],
    ['a script', 'javascript:alert(1)'],
    ['backslashes', 'https:\\\\shop.example.com\\x'],
    ['a line break', '/x\r\nset-cookie: a=b'],
    ['more than 2,000 characters', `/${'a'.repeat(2_000)}`],
    ['nothing', ''],
  ])('is refused to %s', (_what, location) => {
    expect(step(location)).toEqual({ kind: 'refused', reason: 'redirect_refused' });
  });

  it('is refused without a Location', () => {
    expect(step(undefined)).toEqual({ kind: 'refused', reason: 'redirect_refused' });
  });

  it('is a loop if it leads back', () => {
    expect(step('/.well-known/ucp#again')).toEqual({ kind: 'refused', reason: 'redirect_loop' });
    expect(step('/a', [FROM.href, 'https://shop.example.com/a'])).toMatchObject({ reason: 'redirect_loop' });
  });

  it('is not followed out of the registrable domain', () => {
    const url = 'https://shop.example.net/.well-known/ucp';
    expect(step(url)).toEqual({ kind: 'leaves_site', url: new URL(url) });
    expect(step('https://example.com.evil.example/')).toMatchObject({ kind: 'leaves_site' });
  });

  it('from http may lead to https', () => {
    const from = new URL('http://shop.example.com/');
    expect(redirectStep(from, 'https://shop.example.com/', new Set([from.href]), 'example.com').kind).toBe('follow');
  });

  it.each([200, 204, 300, 304, 305])('does not have the status %d', (status) => {
    expect(isRedirect(status)).toBe(false);
  });
});
