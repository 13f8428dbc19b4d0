import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import Fastify, { type FastifyInstance } from 'fastify';
import { installFastPath, countRequests, type FastPathDeps, type CachedAnswers } from './fast-path';
import { RequestError } from './request-error';

/**
 * `/ready` is ready, `/broken` throws when it is looked up, `/failing` throws when it is sent, and `/other-after-all`
 * turns out not to be ready.
 */
const READY: CachedAnswers = {
  find: ({ url = '' }) => {
    if (url === '/broken') throw new Error('it cannot be found');
    if (url === '/failing') return { route: url, send: () => Promise.reject(new Error('storage does not answer')) };
    if (url === '/other-after-all') return { route: url, send: () => Promise.resolve(false) };
    if (url !== '/ready') return undefined;
    return {
      route: '/ready',
      send: (reply) => {
        reply.code(203);
        reply.header('x-from', 'front');
        reply.send('ready');
      },
    };
  },
};

/** Awaiting the reply itself would block until it is sent. */
const countedLater: FastPathDeps['limits']['countRequest'] = (_caller, reply) => {
  reply.header('ratelimit', 'r');
  return Promise.resolve();
};

describe('a cached answer', () => {
  let app: FastifyInstance;
  let base: string;
  let counted: string[];
  let underWay: boolean;
  let count: jest.MockedFunction<FastPathDeps['limits']['countRequest']>;

  beforeEach(async () => {
    [counted, underWay, count] = [
      [],
      false,
      jest.fn<Promise<void> | undefined, Parameters<typeof count>>(() => undefined),
    ];
    app = Fastify({ forceCloseConnections: true });
    countRequests(app, { countRequest: (...args) => count(...args) });
    app.setErrorHandler(({ message }: Error, _request, reply) => reply.status(503).send(message));
    app.all('/*', (_request, reply) => reply.header('x-from', 'route').send('routed'));
    installFastPath(app.server, {
      caches: [READY],
      limits: { countRequest: (...args) => count(...args) },
      metrics: { answered: ({ method, route, status }) => counted.push(`${method} ${route} ${status}`) },
      drain: {
        get underWay() {
          return underWay;
        },
      },
      callerOf: ({ socket }) => socket.remoteAddress ?? '',
    });
    app.server.listen(0, '127.0.0.1');
    await Promise.all([app.ready(), once(app.server, 'listening')]);
    base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  });
  afterEach(() => app.close());

  const ask = async (path: string, method = 'GET') => {
    const answer = await fetch(`${base}${path}`, { method });
    return [answer.status, answer.headers.get('x-from'), await answer.text()];
  };

  it('is refused if the request has two Host headers, cached or not', async () => {
    const hosts = fc.tuple(
      fc.constantFrom('/ready', '/routed'),
      fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 3 }),
    );
    const spelled = fc.constantFrom('host', 'Host', 'HOST');
    await fc.assert(
      fc.asyncProperty(hosts, spelled, async ([path, names], spelling) => {
        const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1');
        const lines = names.map((name, at) => `${at === 0 ? spelling : 'Host'}: ${name}`);
        socket.write([`GET ${path} HTTP/1.1`, ...lines, 'connection: close', '', ''].join('\r\n'));
        expect((await text(socket)).split(' ')[1]).toBe(names.length > 1 ? '400' : path === '/ready' ? '203' : '200');
      }),
      { numRuns: 30 },
    );
  });

  it('is sent, counted, and readable by pages of every origin', async () => {
    const answer = await fetch(`${base}/ready`, { headers: { 'request-id': 'order-2026_11' } });
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.headers.get('request-id')).toBe('order-2026_11');
    expect([answer.status, answer.headers.get('content-length'), await answer.text()]).toEqual([203, '5', 'ready']);
    expect(counted).toEqual(['GET /ready 203']);
  });

  it.each([
    ['another path', '/other', 'GET', 'routed'],
    ['another method', '/ready', 'POST', 'routed'],
    ['HEAD', '/ready', 'HEAD', ''],
    ['one that could not be found', '/broken', 'GET', 'routed'],
  ])('is not sent for %s, which goes to its route', async (_, path, method, body) => {
    expect(await ask(path, method)).toEqual([200, 'route', body]);
    expect(counted).toEqual([]);
  });

  it('is not sent while the gateway stops: the route closes the connection', async () => {
    underWay = true;
    expect(await ask('/ready')).toEqual([200, 'route', 'routed']);
  });

  it('waits for the rate limit, and leaves callers above it to the route', async () => {
    count.mockImplementation(countedLater);
    expect((await fetch(`${base}/ready`)).headers.get('ratelimit')).toBe('r');
    count.mockImplementation(() => Promise.reject(new RequestError('rate_limited', 'too many')));
    expect(await ask('/ready')).toEqual([503, null, 'too many']);
    expect(counted).toEqual(['GET /ready 203']);
    expect(count.mock.calls.length).toBe(2);
  });

  it.each([
    ['/failing', [503, null, 'storage does not answer']],
    ['/other-after-all', [200, 'route', 'routed']],
  ])('that fails or is not ready when it is sent (%s) is counted once and not retried', async (path, answer) => {
    count.mockImplementation(countedLater);
    expect(await ask(path)).toEqual(answer);
    expect((await fetch(`${base}${path}`)).headers.get('ratelimit')).toBe('r');
    expect(count.mock.calls.length).toBe(2);
    expect(counted).toEqual([]);
  });
});
