import fastify from 'fastify';
import { everyRoute } from '../../apps/gateway/src/gateway.document';
import { usd } from '../../apps/gateway/src/products/price';
import { assertContractsKept, Contract } from './contract';

const DOCUMENT = everyRoute({
  baseUrl: 'https://probe.example.com',
  terms: null,
  subscription: { price: usd('5'), days: 30 },
  contact: null,
});
const REFUSED = { error: 'domain must be a public name', code: 'invalid_domain' };

describe('the contract check', () => {
  /** What is found when a server answers so. */
  async function breachesOf(
    route: string,
    { status = 200, headers = {}, body }: { status?: number; headers?: Record<string, string>; body?: unknown },
    method: 'GET' | 'HEAD' | 'OPTIONS' = 'GET',
  ): Promise<readonly string[]> {
    const server = fastify();
    const contract = new Contract(DOCUMENT);
    contract.watch(server);
    server.route({
      method: method === 'HEAD' ? 'GET' : method,
      url: route,
      handler: (_, reply) => reply.status(status).headers(headers).send(body),
    });
    await server.inject({ method, url: route.replace(':domain', 'example.com') });
    await server.close();
    expect(contract.answers).toBe(1);
    return contract.breaches;
  }

  it('fails the test file whose server broke it, once', async () => {
    await breachesOf('/health/live', { body: { status: 'ok' } });
    expect(assertContractsKept).not.toThrow();
    await breachesOf('/health/live', { body: {} });
    expect(assertContractsKept).toThrow("GET /health/live 200: data must have required property 'status'");
    expect(assertContractsKept).not.toThrow();
  });

  it('lets pass what the document describes', async () => {
    expect(
      await breachesOf('/health/live', { body: { status: 'ok' }, headers: { ratelimit: '"free";r=1;t=1' } }),
    ).toEqual([]);
    expect(await breachesOf('/api/v1/hosts/:domain', { status: 400, body: REFUSED })).toEqual([]);
  });

  it.each([
    ['/api/v1/hosts/example.com', '/api/v1/hosts/{domain}'],
    ['/openapi.json', '/openapi.json'],
    ['/api/v1/hosts', '/api/v1/hosts'],
    ['/api/v1/host', undefined],
    ['/api/v1/hosts/example.com/refresh/twice', undefined],
  ])('holds %s against %s', (path, route) => {
    expect(new Contract(DOCUMENT).routeOf(path)).toBe(route);
  });

  it.each([
    ['a status', '/health/live', { status: 418, body: { status: 'ok' } }, 'not in the document'],
    ['a header', '/health/live', { headers: { 'x-debug': '1' }, body: { status: 'ok' } }, 'header x-debug'],
    ['a media type', '/health/live', { headers: { 'content-type': 'text/html' }, body: 'ok' }, 'text/html'],
    ['a value', '/health/live', { body: { status: 'fine' } }, 'must be equal to constant'],
    ['a member more', '/health/live', { body: { status: 'ok', uptime: 1 } }, 'additional properties'],
    ['a member less', '/api/v1/hosts/:domain', { status: 400, body: { error: 'no' } }, "required property 'code'"],
    [
      'a body where there is none',
      '/llms.txt',
      { status: 304, headers: { 'content-type': 'text/plain' }, body: 'x' },
      'text/plain',
    ],
    ['a route', '/api/v2/hosts', { body: {} }, '/api/v2/hosts 200'],
  ])('finds %s that the document does not have', async (_, route, answer, breach) => {
    expect(await breachesOf(route, answer)).toEqual([expect.stringContaining(breach)]);
  });

  it('holds HEAD against GET, with a body or without', async () => {
    const headers = { 'content-type': 'application/json' };
    expect(await breachesOf('/health/live', { body: { status: 'ok' } }, 'HEAD')).toEqual([]);
    expect(await breachesOf('/health/live', { headers, body: '' }, 'HEAD')).toEqual([]);
    expect(await breachesOf('/health/live', { headers: { 'x-debug': '1' }, body: { status: 'ok' } }, 'HEAD')).toEqual([
      'HEAD /health/live 200: header x-debug not in the document',
    ]);
    expect(await breachesOf('/health/live', { status: 418 }, 'HEAD')).toEqual([
      'HEAD /health/live 418: not in the document',
    ]);
    expect(await breachesOf('/health/live', { body: { status: 'fine' } }, 'HEAD')).toEqual([
      expect.stringContaining('must be equal to constant'),
    ]);
  });

  it('lets OPTIONS say what may be asked of a path, and nothing else', async () => {
    const headers = { allow: 'GET, HEAD, OPTIONS', 'access-control-allow-methods': 'GET' };
    expect(await breachesOf('/health/live', { status: 204, headers }, 'OPTIONS')).toEqual([]);
    expect(await breachesOf('/health/live', { status: 204, headers: { etag: '"1"' } }, 'OPTIONS')).toEqual([
      'OPTIONS /health/live 204: header etag is not about what may be asked',
    ]);
    expect(await breachesOf('/health/live', { status: 400, body: 'Invalid Preflight Request' }, 'OPTIONS')).toEqual([
      expect.stringContaining('OPTIONS /health/live 400'),
    ]);
  });
});
