import { asksForPage } from './error-pages';

const asks = (url: string, accept = '*/*', method = 'GET') => asksForPage({ url, method, headers: { accept } });

describe('clients that get an error as a page', () => {
  it.each(['/', '/?a=b', '/hosts/localhost', '/hosts?domain=x', '/errors/no', '/pricing'])(
    '%s: every client',
    (url) => {
      expect(asks(url)).toBe(true);
    },
  );

  it.each(['/api/v1/hosts/localhost', '/badge/localhost.svg', '/health/x', '/.well-known/x'])(
    '%s: no client',
    (url) => {
      expect(asks(url, 'text/html')).toBe(false);
    },
  );

  it('an unknown address or a feed: a browser', () => {
    expect([asks('/nothing', 'text/html,*/*'), asks('/nothing')]).toEqual([true, false]);
    expect(asks('/hosts/localhost/changes.atom')).toBe(false);
  });

  it('no client that sends data', () => {
    expect(asks('/hosts/x', 'text/html', 'POST')).toBe(false);
  });
});
