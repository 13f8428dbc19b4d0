import { keepable } from './page-response';

describe('a page', () => {
  it('cannot be framed, loads only from this service and runs no inline code', () => {
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
