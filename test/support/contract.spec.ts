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
const ID = 'order-2026_11';
const REFUSED = { error: 'domain must be a public name', code: 'invalid_domain', requestId: ID };

describe('the contract check', () => {
  /** The breaches for a server with these answers. */
  async function breachesOf(
    route: string,
    { status = 200, headers = {}, body }: { status?: number; headers?: Record<string, string>; body?: unknown },
  ): Promise<readonly string[]> {
    const server = fastify();
    const contract = new Contract(DOCUMENT);
    contract.watch(server);
    server.get(route, (_, reply) =>
      reply
        .status(status)
        .headers({ 'request-id': ID, ...headers })
        .send(body),
    );
    await server.inject({ url: route.replace(':domain', 'example.com') });
    await server.close();
    expect(contract.answers).toBe(1);
    return contract.breaches;
  }

  it('fails the test file of the faulty server, once', async () => {
    await breachesOf('/health/live', { body: { status: 'ok' } });
    expect(assertContractsKept).not.toThrow();
    await breachesOf('/health/live', { body: {} });
    expect(assertContractsKept).toThrow("GET /health/live 200: data must have required property 'status'");
    expect(assertContractsKept).not.toThrow();
  });

  it('accepts everything in the document', async () => {
    expect(
      await breachesOf('/health/live', { body: { status: 'ok' }, headers: { ratelimit: '"free";r=1;t=1' } }),
    ).toEqual([]);
    expect(await breachesOf('/api/v1/hosts/:domain', { status: 400, body: REFUSED })).toEqual([]);
  });

  it.each([
    ['a status', '/health/live', { status: 418, body: { status: 'ok' } }, 'not in the document'],
    ['a header', '/health/live', { headers: { 'x-debug': '1' }, body: { status: 'ok' } }, 'header x-debug'],
    ['a media type', '/health/live', { headers: { 'content-type': 'text/html' }, body: 'ok' }, 'text/html'],
    ['a value', '/health/live', { body: { status: 'fine' } }, 'must be equal to constant'],
    ['an extra field', '/health/live', { body: { status: 'ok', uptime: 1 } }, 'additional properties'],
    ['a code', '/api/v1/hosts/:domain', { status: 400, body: { ...REFUSED, code: 'opted_out' } }, 'an error of 403'],
    ['a missing field', '/api/v1/hosts/:domain', { status: 400, body: { error: 'no' } }, "required property 'code'"],
    [
      'a body where the description has none',
      '/llms.txt',
      { status: 304, headers: { 'content-type': 'text/plain' }, body: 'x' },
      'text/plain',
    ],
    ['a route', '/api/v2/hosts', { body: {} }, '/api/v2/hosts 200'],
  ])('finds %s that is missing in the document', async (_, route, answer, breach) => {
    expect(await breachesOf(route, answer)).toEqual([expect.stringContaining(breach)]);
  });
});
