import { keepable } from './page-response';

describe('a page', () => {
  it('is framed by no site, loads from this service only and runs nothing inline', () => {
    const policy = keepable('<p>', 60).headers['content-security-policy']!.split('; ');
    expect(policy).toEqual([
      "default-src 'none'",
      expect.stringMatching(/^style-src 'sha256-[\w+/]{43}='$/),
      "script-src 'self'",
      "img-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ]);
  });
});
