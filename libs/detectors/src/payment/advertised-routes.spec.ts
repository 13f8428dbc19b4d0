import fc from 'fast-check';
import { authenticates, paywalled } from '../../../../test/support/challenges';
import { evidence, json, status, type Reply } from '../../../../test/support/evidence';
import { advertisedRoutes, routeExercises } from './advertised-routes';

const manifest = (resources: readonly unknown[], more: Readonly<Record<string, unknown>> = {}) =>
  json({ version: 1, resources, ...more });
const urls = (reply: Reply) => advertisedRoutes(evidence({ '/.well-known/x402': reply })).map(({ url }) => url);
const exercises = (replies: Readonly<Record<string, Reply>>) =>
  routeExercises(evidence(replies)).map(({ method, url, body }) => [method, new URL(url).pathname, body]);

describe('advertisedRoutes', () => {
  it.each([
    ['strings', ['https://shop.example.com/a']],
    ['strings with a method', ['GET https://shop.example.com/a']],
    ['paths', ['/a']],
    ['objects with url', [{ url: 'https://shop.example.com/a', price: '$0.02' }]],
    ['objects with resource', [{ resource: 'GET /a' }]],
    ['objects with path', [{ path: '/a' }]],
    ['accepts with resource', [{ accepts: [{ resource: 'https://shop.example.com/a' }] }]],
  ])('reads %s', (_, resources) => {
    expect(urls(manifest(resources))).toEqual(['https://shop.example.com/a']);
  });

  it('reads items of the .json proposal, named endpoints and a plain list', () => {
    expect(urls(json({ x402Version: 2, items: [{ resource: { url: 'https://shop.example.com/a' } }] }))).toHaveLength(
      1,
    );
    expect(urls(json({ version: 1, endpoints: { '/a': { price: '0.02' }, search: '/b' } }))).toHaveLength(2);
    expect(urls(json(['https://shop.example.com/a']))).toHaveLength(1);
  });

  it('omits other sites, other schemes, templates and methods we never send', () => {
    expect(
      urls(
        manifest([
          'https://other.example.org/a',
          'ftp://shop.example.com/a',
          '/users/{id}',
          '/users/:id',
          'DELETE /a',
          'a sentence',
          42,
          null,
        ]),
      ),
    ).toEqual([]);
  });

  it('keeps sibling hosts of the registrable domain, after the probed host, and stops at five', () => {
    const found = urls(manifest(['https://api.example.com/z', ...Array.from({ length: 9 }, (_, n) => `/r${n}`)]));
    expect(found).toHaveLength(5);
    expect(found[0]).toBe('https://shop.example.com/r0');
    expect(urls(manifest(['https://api.example.com/z', '/a']))).toEqual([
      'https://shop.example.com/a',
      'https://api.example.com/z',
    ]);
  });

  it('reads method and protocol from OpenAPI and combines both sources', () => {
    const openapi = json({
      openapi: '3.1.0',
      paths: {
        '/a': { post: { 'x-payment-info': { price: { mode: 'fixed', amount: '0.02' }, protocols: ['x402', 'mpp'] } } },
        '/b': { get: { 'x-payment-info': { offers: [{ intent: 'charge', method: 'tempo', amount: '1' }] } } },
        '/c': { get: { 'x-payment-info': { protocols: [{ x402: {} }] } } },
        '/free': { get: {} },
      },
    });
    const seen = evidence({
      '/openapi.json': openapi,
      '/.well-known/x402': manifest(['/a'], { mppResources: ['/d'] }),
    });
    expect(
      advertisedRoutes(seen).map(({ url, method, protocols }) => [new URL(url).pathname, method, protocols]),
    ).toEqual([
      ['/a', 'POST', ['x402', 'mpp']],
      ['/b', 'GET', ['mpp']],
      ['/c', 'GET', ['x402']],
      ['/d', 'GET', ['mpp']],
    ]);
  });
});

describe('the selection of many routes', () => {
  const operation = fc.record({
    method: fc.constantFrom('get', 'post', 'put'),
    amount: fc.constantFrom('0.01', '0.02', '0.5', '3', undefined),
    parameter: fc.boolean(),
  });
  const routesOf = (operations: readonly (readonly [string, unknown])[]) =>
    advertisedRoutes(evidence({ '/openapi.json': json({ openapi: '3.1.0', paths: Object.fromEntries(operations) }) }));

  it('has each method with its lowest and highest price, in any document order', () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 40 }), fc.func(fc.nat()), (operations, key) => {
        const items = operations.map(({ method, amount, parameter }, i) => {
          const info = { 'x-payment-info': { price: { amount }, protocols: ['x402'] } };
          return [parameter ? `/${i}/{id}` : `/${i}`, { [method]: info }] as const;
        });
        const routes = routesOf(items);
        expect(routesOf(items.toSorted((a, b) => key(a[0]) - key(b[0])))).toEqual(routes);
        const callable = operations.filter(({ method, parameter }) => method !== 'put' && !parameter);
        expect(routes).toHaveLength(Math.min(5, callable.length));
        for (const method of new Set(callable.map((one) => one.method))) {
          const prices = callable.flatMap((one) => (one.method === method ? (one.amount ?? []) : [])).map(Number);
          const asked = routes
            .filter((route) => route.method === method.toUpperCase())
            .map(({ price }) => Number(price));
          if (prices.length > 0)
            expect(asked).toEqual(expect.arrayContaining([Math.min(...prices), Math.max(...prices)]));
        }
      }),
      { numRuns: 200 },
    );
  });

  it('keeps routes that were called when more documents are found', () => {
    const routes = Array.from({ length: 9 }, (_, i) => `/r${i}`);
    const before = { '/.well-known/x402': manifest(routes), '/r3': status(404), '/r4': status(404) };
    const openapi = json({
      openapi: '3.1.0',
      paths: { '/a': { get: { 'x-payment-info': { price: { amount: '1' } } } } },
    });
    const found = advertisedRoutes(evidence({ ...before, '/openapi.json': openapi })).map(({ url }) => url);
    expect(found).toEqual(expect.arrayContaining(['https://shop.example.com/r3', 'https://shop.example.com/r4']));
    expect(found).toHaveLength(5);
  });
});

describe('routeExercises', () => {
  const list = { '/.well-known/x402': manifest(['/a', 'POST /b']) };

  it('uses the declared method, and GET by default', () => {
    expect(exercises(list)).toEqual([
      ['GET', '/a', undefined],
      ['POST', '/b', '{}'],
    ]);
  });

  it.each([
    ['404', status(404)],
    ['405', status(405)],
    ['a bare 402', status(402)],
    ['200', json({ ok: true })],
  ])('retries with POST if GET answered %s without a challenge', (_, reply) => {
    expect(exercises({ ...list, '/a': reply })).toContainEqual(['POST', '/a', '{}']);
  });

  it.each([
    ['an x402 challenge', paywalled()],
    ['an MPP challenge', authenticates()],
    ['429', status(429)],
    ['401', status(401)],
  ])('does not retry after %s', (_, reply) => {
    expect(exercises({ ...list, '/a': reply })).not.toContainEqual(['POST', '/a', '{}']);
  });

  it('never sends a payment', () => {
    expect(routeExercises(evidence({ ...list, '/a': status(405) })).every(({ headers }) => headers === undefined)).toBe(
      true,
    );
  });
});
