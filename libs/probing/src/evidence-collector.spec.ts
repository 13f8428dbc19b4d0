import { HostEvidence, type Exchange, type ProbePhase } from '@app/detectors';
import { asking, exchangeAt, get, hostName, testProber } from '../../../test/support/probing';
import {
  redirects,
  says,
  startTcpHost,
  startTestHost,
  type Route,
  type TestHost,
  type TestHostOptions,
} from '../../../test/support/test-host';
import type { CollectOptions } from './evidence-collector';
import type { ProbeLimits } from './limits';

const HOME = says('<h1>Shop</h1>', { 'content-type': 'text/html' });
const PRESENCE: readonly ProbePhase[] = ['presence'];
const BOTH: readonly ProbePhase[] = ['presence', 'callability'];

const hosts: TestHost[] = [];
afterEach(() => Promise.all(hosts.splice(0).map((host) => host.close())));

async function start(routes: Readonly<Record<string, Route>>, options?: TestHostOptions): Promise<TestHost> {
  const host = await startTestHost(routes, options);
  hosts.push(host);
  return host;
}

async function probe(
  host: TestHost,
  options: Partial<Omit<CollectOptions, 'plan'>> = {},
  limits: Partial<ProbeLimits> = {},
) {
  const prober = await testProber({ connectTo: host.as('shop.example.com'), limits });
  return prober.collect(hostName(), { detectors: [], phases: PRESENCE, ...options });
}

const paths = (count: number) => Array.from({ length: count }, (_, i) => get(`/doc-${i}`));
const reasons = (seen: Awaited<ReturnType<typeof probe>>) =>
  seen.exchanges.map((exchange) => (exchange.kind === 'failure' ? exchange.reason : exchange.status));

describe('a probe of a host', () => {
  it('requests the home page and the control pair first, then the paths of the detectors', async () => {
    const host = await start({ '/': HOME, '/llms.txt': says('# Shop') });
    const seen = await probe(host, { detectors: [asking([get('/llms.txt')])] });
    const [home, json, text, ...rest] = seen.exchanges.map((exchange) => new URL(exchange.url).pathname);
    expect([home, ...rest]).toEqual(['/', '/llms.txt']);
    expect(json).toMatch(/^\/\.well-known\/[0-9a-f]{32}\.json$/);
    expect(text).toBe(json!.replace('/.well-known', '').replace('.json', '.txt'));
    expect(seen).toMatchObject({
      domain: 'shop.example.com',
      origin: 'https://shop.example.com',
      site: 'example.com',
      requests: 4,
      stoppedBy: null,
    });
    expect(new HostEvidence(seen).controls.map(({ status }) => status)).toEqual([404, 404]);
    expect(exchangeAt(seen, '/llms.txt')).toMatchObject({ kind: 'answer', status: 200, body: '# Shop', bytes: 6 });
  });

  it('ends if robots.txt disallows it, even after a redirect', async () => {
    const host = await start({ '/': HOME, '/robots.txt': redirects('/rules.txt'), '/rules.txt': says('Stay out.') });
    const read: string[] = [];
    const seen = await probe(host, {
      mayProbe: (robots) => {
        if (robots.kind === 'answer') read.push(robots.body);
        return Promise.resolve(false);
      },
    });
    expect(read).toEqual(['Stay out.']);
    expect(host.requests).toEqual(['GET /robots.txt', 'GET /rules.txt']);
    expect(seen).toMatchObject({ disallowedByRobots: true, exchanges: [{ kind: 'answer', status: 200 }], requests: 2 });
  });

  it('reads up to half a megabyte of robots.txt', async () => {
    const text = `${'#'.repeat(500 * 1024)}\nUser-agent: hostprobe\nDisallow: /\n`;
    const host = await start({ '/': HOME, '/robots.txt': says(text, { 'content-type': 'text/plain' }) });
    const mayProbe = (robots: Exchange) => Promise.resolve(robots.kind === 'answer' && robots.body !== text);
    expect((await probe(host, { mayProbe })).disallowedByRobots).toBe(true);
  });

  it('continues on the same connection if robots.txt allows it', async () => {
    const host = await start({ '/': HOME, '/robots.txt': says('Welcome.') });
    const seen = await probe(host, { mayProbe: () => Promise.resolve(true) }, { concurrency: 1 });
    expect(seen).toMatchObject({ disallowedByRobots: false, requests: 4 });
    expect(seen.exchanges.map(({ url }) => new URL(url).pathname)).toContain('/robots.txt');
    expect(host.connections()).toBe(1);
  });

  it('sends a request of two detectors once, and the home page with the headers of a detector', async () => {
    const host = await start({ '*': HOME });
    const wants = [get('/', { accept: 'application/json' }), get('/doc')];
    await probe(host, { detectors: [asking(wants), asking([get('/doc')])] });
    expect(host.requests.filter((line) => line === 'GET /doc')).toHaveLength(1);
    expect(host.received.filter((request) => request.url === '/').map((request) => request.headers.accept)).toEqual([
      'application/json',
    ]);
  });

  it('identifies itself and sends no credentials', async () => {
    const host = await start({ '*': says('{}', { 'set-cookie': 'session=1' }) });
    await probe(host, { detectors: [asking(paths(5))] });
    const names = new Set(host.received.flatMap((request) => Object.keys(request.headers)));
    expect([...names].sort()).toEqual(['accept', 'accept-encoding', 'connection', 'host', 'user-agent']);
    expect(host.received[0]!.headers).toMatchObject({
      host: 'shop.example.com',
      'user-agent': 'hostprobe/test (+https://probe.example.org/prober)',
    });
  });

  it('follows references in documents, at most twice', async () => {
    const host = await start({ '*': says('{}') });
    const followUps = (seen: HostEvidence) => [get(`/next-${seen.exchanges.length}`)];
    await probe(host, { detectors: [asking([get('/doc')], { followUps })] });
    expect(host.requests.slice(3)).toEqual(['GET /doc', 'GET /next-4', 'GET /next-5']);
  });

  it('calls declared endpoints only in the second phase', async () => {
    const host = await start({ '*': says('{}') });
    const exercises = () => [{ method: 'POST' as const, url: '/mcp', body: '{"jsonrpc":"2.0"}' }];
    const detectors = [asking([get('/doc')], { exercises })];
    const presence = await probe(host, { detectors });
    expect(presence.exchanges.every((exchange) => exchange.phase === 'presence')).toBe(true);
    const both = await probe(host, { detectors, phases: BOTH });
    expect(both.exchanges.at(-1)).toMatchObject({
      method: 'POST',
      phase: 'callability',
      requestBody: '{"jsonrpc":"2.0"}',
    });
    expect(host.requests.filter((line) => line === 'POST /mcp')).toHaveLength(1);
  });

  it('never repeats a POST after a redirect', async () => {
    const host = await start({ '/': HOME, '/mcp': redirects('/mcp/', 308), '/mcp/': says('{}') });
    const exercises = () => [{ method: 'POST' as const, url: '/mcp', body: '{}' }];
    await probe(host, { detectors: [asking([], { exercises })], phases: BOTH });
    expect(host.requests).not.toContain('POST /mcp/');
  });

  it('requests a name with a root dot under the name without', async () => {
    const host = await start({ '/': HOME, '/doc': says('{}') });
    const counted: string[] = [];
    const prober = await testProber({
      connectTo: host.as('shop.example.com'),
      optedOut: (name) => name === 'private.example.com',
      budget: {
        free: false,
        occupy: () => Promise.resolve(() => Promise.resolve()),
        spend: ({ host: name }) => {
          counted.push(name);
          return Promise.resolve();
        },
      },
    });
    const urls = ['https://shop.example.com./doc', 'https://private.example.com./doc'];
    const seen = await prober.collect(hostName(), {
      detectors: [asking(urls.map((url) => get(url)))],
      phases: PRESENCE,
    });
    expect(exchangeAt(seen, urls[0]!)).toMatchObject({ status: 200, finalUrl: 'https://shop.example.com/doc' });
    expect(exchangeAt(seen, urls[1]!)).toMatchObject({ kind: 'failure', reason: 'address_refused' });
    expect(new Set(counted)).toEqual(new Set(['shop.example.com']));
  });

  it('calls other names of the site, but no other sites', async () => {
    const host = await start({ '*': says('{}') });
    const connectTo = ['shop.example.com', 'mcp.example.com', 'evil.example.net'].map((name) => host.as(name)).join();
    const prober = await testProber({ connectTo });
    const wanted = ['https://mcp.example.com/mcp', 'https://evil.example.net/mcp', 'https://shop.example.com:8443/mcp'];
    const seen = await prober.collect(hostName(), {
      detectors: [asking(wanted.map((url) => get(url)))],
      phases: PRESENCE,
    });
    expect(host.received.map((request) => request.headers.host)).toContain('mcp.example.com');
    expect(host.received.map((request) => request.headers.host)).not.toContain('evil.example.net');
    expect(new HostEvidence(seen).at('https://shop.example.com:8443/mcp')).toBeUndefined();
  });
});

describe('the cost of a probe for the host', () => {
  it('is four concurrent requests over four kept-alive connections', async () => {
    let open = 0;
    let most = 0;
    const host = await start({
      '*': (_request, response) => {
        most = Math.max(most, (open += 1));
        setTimeout(() => {
          open -= 1;
          response.end('{}');
        }, 5);
      },
    });
    await probe(host, { detectors: [asking(paths(17))] });
    expect(host.requests).toHaveLength(20);
    expect(most).toBe(4);
    expect(host.connections()).toBe(4);
  });

  it('counts for one host, with and without www', async () => {
    const host = await start({ '*': says('{}'), '/doc': redirects('https://www.example.com/doc') });
    const counted: string[] = [];
    const note = (name: string) => {
      counted.push(name);
      return Promise.resolve();
    };
    const prober = await testProber({
      connectTo: ['example.com', 'www.example.com'].map((name) => host.as(name)).join(),
      budget: {
        free: false,
        occupy: (name) => Promise.resolve(() => note(name)),
        spend: ({ host: name }) => note(name),
      },
    });
    await prober.collect(hostName('example.com'), { detectors: [asking([get('/doc')])], phases: PRESENCE });
    expect(host.received.map((request) => request.headers.host)).toContain('www.example.com');
    expect(new Set(counted)).toEqual(new Set(['example.com']));
  });

  it('is at most forty requests, including redirects, four of them for signals', async () => {
    const host = await start({
      '*': (request, response) => {
        const path = request.url ?? '';
        if (path.startsWith('/doc')) redirects(`${path}x`)(request, response);
        else response.writeHead(404).end();
      },
    });
    const seen = await probe(host, { detectors: [asking(paths(17))] });
    expect(host.requests).toHaveLength(36);
    expect(seen.requests).toBe(36);
    expect(reasons(seen)).toContain('budget_spent');
  });

  it('is one request per document after both control requests show that redirects lead nowhere', async () => {
    const host = await start({
      '*': (request, response) => {
        redirects(`${request.url ?? ''}x`)(request, response);
      },
    });
    const seen = await probe(host, { detectors: [asking(paths(17))] });
    // The home page, the controls and the document requested with them need four requests each to find out.
    expect(seen.requests).toBe(4 * 4 + 16);
    expect(new Set(reasons(seen))).toEqual(new Set(['redirect_refused']));
  });

  it('ends when the time limit of the host is reached', async () => {
    const host = await start({ '*': () => undefined });
    const seen = await probe(host, { detectors: [asking(paths(17))] }, { hostMs: 100 });
    expect(new Set(reasons(seen))).toEqual(new Set(['budget_spent']));
    expect(seen.exchanges).toHaveLength(4);
    expect(host.requests.length).toBeLessThanOrEqual(4);
  });

  it('ends when the caller aborts', async () => {
    const caller = new AbortController();
    const host = await start({
      '*': () => {
        caller.abort();
      },
    });
    const prober = await testProber({ connectTo: host.as('shop.example.com') });
    const seen = await prober.collect(hostName(), { detectors: [], phases: PRESENCE, signal: caller.signal });
    expect(seen.stoppedBy).toBe('budget_spent');
  });

  it('is small after a bot wall was detected', async () => {
    const wall = says('<title>Just a moment...</title>', { 'cf-mitigated': 'challenge' }, 403);
    const host = await start({ '*': wall });
    const seen = await probe(host, { detectors: [asking(paths(17))] });
    expect(seen.stoppedBy).toBe('bot_challenge');
    expect(host.requests.length).toBeLessThanOrEqual(5);
    expect(seen.exchanges).toHaveLength(host.requests.length);
  });

  it('is not reduced if only some paths have a bot wall', async () => {
    const wall = says('', { 'cf-mitigated': 'challenge' }, 403);
    const host = await start({ '/doc-1': wall, '/doc-3': wall, '*': says('{}') });
    const seen = await probe(host, { detectors: [asking(paths(6))] }, { concurrency: 1 });
    expect(seen.stoppedBy).toBeNull();
    expect(host.requests).toHaveLength(9);
  });
});

describe('a host that cannot be reached', () => {
  it('gets no more requests after three failed connections', async () => {
    const host = await startTcpHost((socket) => socket.end('nonsense'));
    hosts.push(host);
    const seen = await probe(host, { detectors: [asking(paths(17))] }, { concurrency: 1 });
    expect(host.connections()).toBe(3);
    expect(reasons(seen)).toEqual(['tls_error', 'tls_error', 'tls_error', 'dns_nxdomain']);
  });

  it('is looked up once if its name does not resolve', async () => {
    const resolved: string[] = [];
    const resolver = { resolve: (name: string) => Promise.resolve(resolved.push(name)).then(() => []) };
    const prober = await testProber({ resolver });
    const seen = await prober.collect(hostName('gone.example.com'), {
      detectors: [asking(paths(17))],
      phases: BOTH,
    });
    expect(resolved).toEqual(['gone.example.com']);
    expect(seen.stoppedBy).toBe('dns_nxdomain');
    expect(new Set(reasons(seen))).toEqual(new Set(['dns_nxdomain']));
  });
});
