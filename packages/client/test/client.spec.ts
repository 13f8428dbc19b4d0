import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { STATUS_OF } from '../src/error-codes.js';
import { hostprobe, type ErrorCode, type Hostprobe, type ServiceError } from '../src/index.js';

const CODES = Object.keys(STATUS_OF) as ErrorCode[];
const domain = 'shop.example.com';

describe('the client of a service', () => {
  let server: Server;
  let service: Hostprobe;
  let url: string;
  let reply: { status: number; body: string };
  const asked: string[] = [];

  beforeAll(async () => {
    server = createServer(({ method, url: path, headers }, response) => {
      asked.push(`${method ?? ''} ${path ?? ''} ${headers.authorization ?? ''}`.trim());
      response.writeHead(reply.status, { 'content-type': 'application/json', 'retry-after': '7' }).end(reply.body);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    service = hostprobe({ url });
  });
  afterAll(() => server.close());

  const read = () => service.GET('/api/v1/hosts/{domain}', { params: { path: { domain } } });
  const failed = async (status: number, body: unknown): Promise<ServiceError> => {
    reply = { status, body: typeof body === 'string' ? body : JSON.stringify(body) };
    const { data, error, response } = await read();
    expect([data, response.status, response.headers.get('retry-after')]).toEqual([undefined, status, '7']);
    return error!;
  };

  it('reads a response, and sends the configured headers', async () => {
    reply = { status: 200, body: JSON.stringify({ domain, reachable: true }) };
    const { data } = await read();
    expect(data?.domain).toBe(domain);
    await hostprobe({ url, headers: { authorization: 'Bearer key' } }).DELETE('/api/v1/claims/{id}', {
      params: { path: { id: 'a/b' } },
    });
    expect(asked.slice(-2)).toEqual([`GET /api/v1/hosts/${domain}`, 'DELETE /api/v1/claims/a%2Fb Bearer key']);
  });

  it('returns every error of a service with its code, status and message', async () => {
    for (const code of CODES) {
      const error = await failed(STATUS_OF[code], { error: 'a sentence', code, retryAfterSec: 7 });
      expect(error).toEqual({ error: 'a sentence', code, status: STATUS_OF[code], retryAfterSec: 7 });
    }
  });

  it('discriminates errors by code, also for the compiler', async () => {
    const error = await failed(402, { error: 'pay', code: 'payment_required', accepts: [], sku: 'refresh' });
    // Each member below exists with one code only, so this does not compile unless the union is discriminated.
    const said =
      error.code === 'payment_required'
        ? [error.status satisfies 402, error.accepts.length]
        : error.code === 'payment_refused'
          ? [error.reason]
          : error.code === 'invalid_domain'
            ? [error.status satisfies 400, error.allowed]
            : error.code === 'unlisted'
              ? [error.said]
              : [error.code];
    expect(said).toEqual([402, 0]);
  });

  it("returns a facilitator's reason, unknown codes, and errors of other servers", async () => {
    const own = fc.stringMatching(/^[a-z_]{1,30}$/).filter((code) => !Object.hasOwn(STATUS_OF, code));
    await fc.assert(
      fc.asyncProperty(own, fc.constantFrom(402, 400, 418, 500, 503), async (code, status) => {
        const rest = { error: 'a sentence', status };
        expect(await failed(status, { error: 'a sentence', code })).toEqual(
          status === 402
            ? { ...rest, code: 'payment_refused', reason: code }
            : { ...rest, code: 'unlisted', said: code },
        );
      }),
      { numRuns: 50 },
    );
    const none = fc.oneof(
      fc.json(),
      fc.string(),
      fc.constantFrom('', '<html>', '{"code":1,"error":"x"}', '{"error":"x"}'),
    );
    await fc.assert(
      fc.asyncProperty(none, fc.constantFrom(404, 502), async (body, status) => {
        expect(await failed(status, body)).toMatchObject({ code: 'not_hostprobe', status });
      }),
      { numRuns: 50 },
    );
    expect(CODES).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/^(?:payment_refused|unlisted|not_hostprobe)$/)]),
    );
  });

  it('uses the given fetch, and reports a missing answer', async () => {
    reply = { status: 200, body: '{}' };
    const seen: string[] = [];
    const paying = hostprobe({ url, fetch: (request) => (seen.push(request.url), fetch(request)) });
    await paying.GET('/api/v1/hosts/{domain}/refresh', { params: { path: { domain } } });
    expect(seen).toEqual([`${url}/api/v1/hosts/${domain}/refresh`]);
    await expect(hostprobe({ url: 'http://127.0.0.1:9' }).GET('/health/live')).rejects.toThrow('fetch failed');
  });
});
