import type { FailureReason, TlsFault } from '@app/detectors';
import { asking, exchangeAt, get, hostName, testProber } from '../../../test/support/probing';
import {
  redirects,
  says,
  startTcpHost,
  startTestHost,
  type Route,
  type TestHost,
} from '../../../test/support/test-host';
import type { ProbeLimits } from './limits';

const hosts: TestHost[] = [];
afterEach(() => Promise.all(hosts.splice(0).map((host) => host.close())));

/**
 * Further cases are in test/guard/response-cases.ts. Returns the result of a probe of `/doc` when the host handles that
 * path with `route` and everything else normally.
 */
async function send(route: Route, limits: Partial<ProbeLimits> = {}, more: Parameters<typeof get>[1] = {}) {
  const host = await startTestHost({ '/doc': route, '/': says('<h1>Shop</h1>', { 'content-type': 'text/html' }) });
  hosts.push(host);
  const prober = await testProber({ connectTo: host.as('shop.example.com'), limits });
  const seen = await prober.collect(hostName(), {
    detectors: [asking([get('/doc', more)])],
    phases: ['presence'],
  });
  return { exchange: exchangeAt(seen, '/doc'), host };
}

async function reasonOf(...args: Parameters<typeof send>): Promise<FailureReason | 'answer'> {
  const { exchange } = await send(...args);
  return exchange.kind === 'failure' ? exchange.reason : 'answer';
}

/** Writes a chunk every few milliseconds until the client disconnects. */
function drips(
  piece: string | Buffer,
  response: { write(piece: string | Buffer): unknown; once: NodeJS.EventEmitter['once'] },
) {
  const timer = setInterval(() => response.write(piece), 5);
  response.once('close', () => {
    clearInterval(timer);
  });
}

describe('a host that wastes time', () => {
  it('by sending nothing is abandoned after the time for headers', async () => {
    expect(await reasonOf(() => undefined, { headersMs: 100 })).toBe('timeout');
  });

  it.each([
    ['100 Continue', 'protocol_error'],
    ['102 Processing', 'protocol_error'],
    ['103 Early Hints', 'protocol_error'],
  ])('by endless %s is abandoned', async (line, reason) => {
    expect(
      await reasonOf((request) => {
        drips(`HTTP/1.1 ${line}\r\nlink: </a>; rel=preload\r\n\r\n`, request.socket);
      }),
    ).toBe(reason);
  });

  it.each([
    ['exchange', { exchangeMs: 100 }, 'timeout'],
    ['probe', { hostMs: 100 }, 'budget_spent'],
  ] as const)('by never finishing the handshake does not delay a %s beyond its limit', async (_, limits, reason) => {
    const host = await startTcpHost(() => undefined);
    hosts.push(host);
    const day = 86_400_000;
    const prober = await testProber({ connectTo: host.as('shop.example.com'), limits: { tlsMs: day, ...limits } });
    const seen = await prober.collect(hostName(), { detectors: [], phases: ['presence'] });
    expect(seen.exchanges[0]).toMatchObject({ kind: 'failure', reason });
  });

  it('by silent name servers does not delay a probe beyond its limit', async () => {
    const resolver = { resolve: () => new Promise<never>(() => undefined) };
    const prober = await testProber({ resolver, limits: { hostMs: 100 } });
    const seen = await prober.collect(hostName(), { detectors: [], phases: ['presence'] });
    expect(seen.stoppedBy).toBe('budget_spent');
  });

  it('by an event stream is read for a moment', async () => {
    const { exchange } = await send(
      (_, response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: endpoint\n\n'),
      { eventStreamMs: 50 },
    );
    expect(exchange).toMatchObject({ kind: 'answer', body: 'event: endpoint\n\n', truncated: true });
  });

  it('by a fast event stream is read up to four kilobytes', async () => {
    const { exchange } = await send((_, response) => {
      drips('x'.repeat(3_000), response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }));
    });
    expect(exchange).toMatchObject({ kind: 'answer', bytes: 4_096, truncated: true });
  });
});

describe('a host that wastes memory', () => {
  it('by exceeding the limit of the request is truncated', async () => {
    const { exchange } = await send(says('a'.repeat(5_000)), {}, { maxBytes: 1_000 });
    expect(exchange).toMatchObject({ truncated: true, bytes: 1_000, body: 'a'.repeat(1_000) });
  });

  it('by exceeding the overall limit is truncated', async () => {
    const { exchange } = await send(says('a'.repeat(5_000)), { ceilingBytes: 2_000 }, { maxBytes: 4_000 });
    expect(exchange).toMatchObject({ truncated: true, bytes: 2_000 });
  });

  it('by many large documents is truncated when memory runs out, and a repeated page counts once', async () => {
    const limits = { ownDocumentBytes: 50_000, poolBytes: 30_000 };
    let serial = 0;
    const { exchange, host } = await send((_, response) => {
      serial += 1;
      response.end(`${serial}${'a'.repeat(99_999)}`);
    }, limits);
    expect(exchange).toMatchObject({ kind: 'answer', truncated: true });
    expect(exchange.kind === 'answer' && exchange.bytes).toBeLessThanOrEqual(80_000);

    const samePage = await startTestHost({ '*': says('b'.repeat(9_000)) });
    hosts.push(samePage);
    const prober = await testProber({
      connectTo: samePage.as('shop.example.com'),
      limits: { ...limits, poolBytes: 0 },
    });
    const pages = asking(Array.from({ length: 12 }, (_, i) => get(`/${i}`)));
    const seen = await prober.collect(hostName(), { detectors: [pages], phases: ['presence'] });
    expect(seen.exchanges.filter((e) => e.kind === 'answer' && !e.truncated)).toHaveLength(seen.exchanges.length);
    expect(host.requests).toContain('GET /doc');
  });

  it('by long bodies in an unsupported coding is refused each time, and the next request gets a connection', async () => {
    const paths = ['/a', '/b', '/c', '/d', '/e', '/f'];
    const host = await startTestHost({ '*': says(Buffer.alloc(1_000_000), { 'content-encoding': 'zstd' }) });
    hosts.push(host);
    const prober = await testProber({ connectTo: host.as('shop.example.com') });
    const seen = await prober.collect(hostName(), {
      detectors: [asking(paths.map((path) => get(path)))],
      phases: ['presence'],
    });
    expect(seen.exchanges.map((e) => e.kind === 'failure' && e.reason)).toEqual(
      seen.exchanges.map(() => 'bad_encoding'),
    );
    expect(host.requests).toEqual(expect.arrayContaining(paths.map((path) => `GET ${path}`)));
  });

  it('by endless header lines is refused', async () => {
    expect(
      await reasonOf((request) => {
        request.socket.write('HTTP/1.1 200 OK\r\n');
        drips('x-more: and more\r\n'.repeat(100), request.socket);
      }),
    ).toBe('headers_too_large');
  });

  it.each([
    ['chunk extensions', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2;', 'x'],
    ['leading noughts of a chunk size', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', '0'],
    ['blanks before a header value', 'HTTP/1.1 200 OK\r\nx-header:', ' '],
    ['blank lines before its answer', '', '\r\n'],
  ])('by endless %s is read up to the limit of a probe', async (_, start, piece) => {
    const flood = piece.repeat(16_384);
    const reason = await reasonOf(
      ({ socket }) => {
        const more = () => {
          while (!socket.destroyed && socket.write(flood));
        };
        socket.write(start);
        socket.on('drain', more);
        more();
      },
      { probeBytes: 500_000 },
    );
    expect(reason).toBe('too_large');
  });

  it('within 64 KiB of headers is read', async () => {
    const { exchange } = await send(says('{}', { 'payment-required': 'a'.repeat(40_000) }));
    expect(exchange.kind).toBe('answer');
  });
});

describe('a host that breaks the protocol', () => {
  it('by a body that does not match its coding', async () => {
    expect(await reasonOf(says('{}', { 'content-encoding': 'gzip' }))).toBe('bad_encoding');
  });

  it('by a reset within the body', async () => {
    expect(
      await reasonOf((request, response) => {
        response.writeHead(200, { 'content-length': '1000' }).write('half');
        setImmediate(() => request.socket.destroy());
      }),
    ).toBe('connection_reset');
  });

  it('by a second answer without a request, which is not used for the next one', async () => {
    const answer = (body: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    const host = await startTestHost({
      '/doc': ({ socket }) => socket.write(answer('{}') + answer('{"smuggled":true}')),
      '*': says('{"own":true}'),
    });
    hosts.push(host);
    const prober = await testProber({ connectTo: host.as('shop.example.com'), limits: { concurrency: 1 } });
    const asked = asking([get('/doc'), get('/next')]);
    const seen = await prober.collect(hostName(), { detectors: [asked], phases: ['presence'] });
    expect(exchangeAt(seen, '/doc')).toMatchObject({ kind: 'answer', body: '{}' });
    expect(exchangeAt(seen, '/next')).toMatchObject({ kind: 'answer', body: '{"own":true}' });
  });

  it('by closing a reused connection gets the request once more, with a new signature', async () => {
    const asked: unknown[] = [];
    const host = await startTestHost({
      '/doc': (request, response) => {
        asked.push(request.headers.signature);
        if (asked.length === 1) request.socket.destroy();
        else says('{}')(request, response);
      },
      '*': says('{}'),
    });
    hosts.push(host);
    let signed = 0;
    const signRequest = () => {
      signed += 1;
      return { 'signature-agent': '"a"', 'signature-input': 'sig1=()', signature: `sig1=:${signed}:` };
    };
    const prober = await testProber({
      connectTo: host.as('shop.example.com'),
      limits: { concurrency: 1 },
      signRequest,
    });
    const seen = await prober.collect(hostName(), { detectors: [asking([get('/doc')])], phases: ['presence'] });
    expect(exchangeAt(seen, '/doc').kind).toBe('answer');
    expect(asked).toHaveLength(2);
    expect(asked[0]).not.toBe(asked[1]);
  });

  it('by closing again gets no third request', async () => {
    let asked = 0;
    const closing: Route = (request) => {
      asked += 1;
      request.socket.destroy();
    };
    expect(await reasonOf(closing, { concurrency: 1 })).toBe('connection_reset');
    expect(asked).toBe(2);
  });
});

describe('a host that redirects', () => {
  it('within its site is followed, and every redirect is recorded', async () => {
    const { exchange, host } = await send(redirects('/llms.txt', 301), {}, {});
    expect(exchange).toMatchObject({
      kind: 'answer',
      status: 404,
      url: 'https://shop.example.com/doc',
      finalUrl: 'https://shop.example.com/llms.txt',
      redirects: [{ status: 301, location: 'https://shop.example.com/llms.txt' }],
    });
    expect(host.requests).toContain('GET /llms.txt');
  });

  it('is not followed if the request wants to see the redirect', async () => {
    const { exchange, host } = await send(redirects('/llms.txt'), {}, { redirects: 'manual' });
    expect(exchange).toMatchObject({ kind: 'answer', status: 302, redirects: [] });
    expect(host.requests).not.toContain('GET /llms.txt');
  });

  it('in a loop is stopped', async () => {
    expect(await reasonOf(redirects('/doc'))).toBe('redirect_loop');
  });

  it('more than three times is stopped', async () => {
    const host = await startTestHost({
      '*': (request, response) => {
        redirects(`${request.url ?? ''}x`)(request, response);
      },
    });
    hosts.push(host);
    const prober = await testProber({ connectTo: host.as('shop.example.com') });
    const seen = await prober.collect(hostName(), { detectors: [asking([get('/doc')])], phases: ['presence'] });
    expect(exchangeAt(seen, '/doc')).toMatchObject({ kind: 'failure', reason: 'redirect_refused' });
    expect(host.requests.filter((line) => line.startsWith('GET /doc'))).toHaveLength(4);
  });

  it.each([
    'http://169.254.169.254/latest/meta-data/',
    'https://127.0.0.1/',
    'http://shop.example.com/',
    'https://a:b@shop.example.com/',
  ])('to %s is refused and recorded', async (location) => {
    const { exchange } = await send(redirects(location));
    expect(exchange).toMatchObject({ kind: 'failure', reason: 'redirect_refused', redirects: [{ location }] });
  });

  it('to another site is recorded and not followed', async () => {
    const { exchange } = await send(redirects('https://elsewhere.example.net/doc', 301));
    expect(exchange).toMatchObject({
      kind: 'answer',
      status: 301,
      finalUrl: 'https://shop.example.com/doc',
      redirects: [],
    });
    expect(exchange.kind === 'answer' && exchange.headers).toContainEqual([
      'location',
      'https://elsewhere.example.net/doc',
    ]);
  });
});

describe('a host with bad TLS', () => {
  it.each([
    ['expired', 'expired', 'example.com, *.example.com'],
    ['self_signed', 'self_signed', 'example.com, *.example.com'],
    ['other_name', 'name_mismatch', 'other.example.net'],
  ] as const)(
    '%s has its own reason, and none of its documents is read',
    async (certificate, detail: TlsFault, names) => {
      const host = await startTestHost({ '*': says('{"ok":true}') }, { certificate });
      hosts.push(host);
      const prober = await testProber({ connectTo: host.as('shop.example.com') });
      const seen = await prober.collect(hostName(), { detectors: [], phases: ['presence'] });
      const [refused] = seen.exchanges;
      expect(refused).toMatchObject({ kind: 'failure', reason: 'tls_error', detail, certificate: { names } });
      const over = refused?.kind === 'failure' && Date.parse(refused.certificate!.validTo) < Date.now();
      expect(over).toBe(detail === 'expired');
      expect(host.requests).toEqual([]);
    },
  );

  it.each([
    ['TLSv1.3', 'client_certificate'],
    ['TLSv1.2', 'handshake_refused'],
  ] as const)('over %s that requires a client certificate is not reported as down', async (version, detail) => {
    const tls = { requestCert: true, rejectUnauthorized: true, minVersion: version, maxVersion: version };
    const host = await startTestHost({ '*': says('{"ok":true}') }, { tls });
    hosts.push(host);
    const prober = await testProber({ connectTo: host.as('shop.example.com') });
    const seen = await prober.collect(hostName(), { detectors: [], phases: ['presence'] });
    expect(seen.exchanges[0]).toMatchObject({ kind: 'failure', reason: 'tls_error', detail });
    expect(host.requests).toEqual([]);
  });
});
