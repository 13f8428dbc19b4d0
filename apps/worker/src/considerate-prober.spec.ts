import { asking, get, hostName, testProber } from '../../../test/support/probing';
import { redirects, says, startTestHost, type Route, type TestHost } from '../../../test/support/test-host';
import { ConsiderateProber } from './considerate-prober';

const hosts: TestHost[] = [];
afterEach(() => Promise.all(hosts.splice(0).map((host) => host.close())));

const slowDown = (retryAfter: string, status = 429): Route => says('slow down', { 'retry-after': retryAfter }, status);

/** A look at `shop.example.com`: how long each name is left alone after it. */
async function restsAfter(routes: Readonly<Record<string, Route>>, paths: readonly string[], robots = false) {
  const host = await startTestHost({ '/': says('<h1>Shop</h1>'), ...routes });
  hosts.push(host);
  const connectTo = ['shop.example.com', 'api.example.com'].map((name) => host.as(name)).join();
  const rests: Record<string, number> = {};
  const rest = (name: string, seconds: number) => Promise.resolve(void (rests[name] = seconds));
  const prober = new ConsiderateProber(await testProber({ connectTo }), { rest });
  const seen = await prober.collect(hostName(), {
    detectors: [asking(paths.map((path) => get(path)))],
    phases: ['presence'],
    ...(robots ? { mayLook: () => Promise.resolve(true) } : {}),
  });
  return { rests, seen, host };
}

describe('a host that asks to be left alone', () => {
  it.each([
    ['429', 429, 30],
    ['503', 503, 30],
    ['an answer that is no such request', 404, undefined],
  ])('with %s is left alone for as long as it says', async (_, status, seconds) => {
    const { rests } = await restsAfter({ '/doc': slowDown('30', status) }, ['/doc']);
    expect(rests['shop.example.com']).toBe(seconds);
  });

  it('twice is left alone for the longer time', async () => {
    const { rests } = await restsAfter({ '/a': slowDown('200'), '/b': slowDown('20') }, ['/a', '/b']);
    expect(rests).toEqual({ 'shop.example.com': 200 });
  });

  it('under another name of its site is left alone under both', async () => {
    const there = { '/pay': redirects('https://api.example.com/v1'), '/v1': slowDown('60') };
    const { rests } = await restsAfter(there, ['/pay']);
    expect(rests).toEqual({ 'shop.example.com': 60, 'api.example.com': 60 });
  });

  it('instead of giving its robots.txt is not crawled', async () => {
    const { rests, seen, host } = await restsAfter({ '/robots.txt': slowDown('90', 503) }, ['/doc'], true);
    expect(rests).toEqual({ 'shop.example.com': 90 });
    expect(seen.unwanted).toBe(true);
    expect(host.requests).toEqual(['GET /robots.txt']);
  });
});
