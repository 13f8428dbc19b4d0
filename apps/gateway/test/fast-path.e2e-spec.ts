import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { newPayer, signPayment } from '../../../test/support/payer';
import { Scrape } from '../../../test/support/prometheus';
import { startService, type Service } from '../../../test/support/service';
import { says, startTestHost, type TestHost } from '../../../test/support/test-host';

const HOST = '/api/v1/hosts/shop.example.com';
const PATHS = [HOST, `${HOST}/statement`, `${HOST}/refresh`, `${HOST}/protocols/llms/refresh`, `${HOST}?refresh=1`];
/** Headers that depend on the time and the connection; an ETag that differs by encoding is kept. */
const OF_THE_MOMENT = ['date', 'connection', 'keep-alive', 'transfer-encoding'];
/** Random values in each message that a wallet signs. */
const DRAWN = /"(?:nonce|issuedAt|expirationTime)":"[^"]+"/g;

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

describe('cached answers', () => {
  let service: Service;
  let shop: TestHost;
  beforeAll(async () => {
    shop = await startTestHost({ '/llms.txt': says('# Shop\n') });
    service = await startService({
      connectTo: [shop.as('shop.example.com')],
      env: { FREE_PRESENCE_PROBE: 'off' },
    });
    await service.admitted();
    const url = `${service.baseUrl}${HOST}/refresh`;
    const payment = await signPayment(await newPayer(), await fetch(url));
    expect((await fetch(url, { headers: { 'payment-signature': payment } })).status).toBe(200);
  });
  afterAll(async () => {
    await service.stop();
    await shop.close();
  });

  const answer = (status: number, headers: IncomingHttpHeaders, body: string): Answer => ({
    status,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_THE_MOMENT.includes(name))),
    body: body.replace(DRAWN, ''),
  });

  /** Requests over a connection, where the fast path answers before the framework. */
  async function asked(path: string, headers: Record<string, string>, method: 'GET' | 'HEAD'): Promise<Answer> {
    const port = new URL(service.baseUrl).port;
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request({ host: '127.0.0.1', port, path, headers, method }, resolve).on('error', reject).end();
    });
    response.setEncoding('latin1');
    return answer(response.statusCode!, response.headers, await text(response));
  }

  /** Requests without a connection, which always go through the framework. */
  async function routed(path: string, headers: Record<string, string>, method: 'GET' | 'HEAD'): Promise<Answer> {
    const { statusCode, headers: sent, rawPayload } = await service.gateway.inject({ method, url: path, headers });
    return answer(statusCode, sent as IncomingHttpHeaders, rawPayload.toString('latin1'));
  }

  it('equal those of their routes, for any request headers', async () => {
    const tags = new Set(['"other"', '*']);
    for (const path of PATHS.slice(0, 2)) {
      for (const coding of ['identity', 'gzip', 'br']) {
        const { etag } = (await routed(path, { 'accept-encoding': coding }, 'GET')).headers;
        tags
          .add(String(etag))
          .add(`W/${String(etag)}`)
          .add(`"other", ${String(etag)}`);
      }
    }
    const values: Readonly<Record<string, readonly string[]>> = {
      accept: ['*/*', 'application/json', 'text/markdown', 'application/jwt', 'text/html'],
      'accept-encoding': ['identity', 'gzip', 'br', 'gzip;q=0.5, br;q=0.1', '*'],
      'if-none-match': [...tags],
      prefer: ['wait=1', 'respond-async'],
      authorization: ['Bearer none', 'Basic bm9uZTpub25l'],
      'sign-in-with-x': ['none'],
      'x-402-version': ['1', '2'],
      'x-payment': ['', 'none'],
      'payment-signature': ['', 'none'],
      'idempotency-key': ['a'],
      origin: ['https://page.example.com'],
    };
    const header = fc
      .constantFrom(...Object.keys(values))
      .chain((name) => fc.tuple(fc.constant(name), fc.constantFrom(...values[name]!)));
    const headers = fc
      .uniqueArray(header, { selector: ([name]) => name, maxLength: 3 })
      .map((given) => Object.fromEntries(given) as Record<string, string>);
    const methods = fc.constantFrom<'GET' | 'HEAD'>('GET', 'GET', 'GET', 'HEAD');
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...PATHS), headers, methods, async (path, given, method) => {
        await routed(path, {}, 'GET'); // Makes the response ready for the fast path.
        const named = { ...given, 'request-id': 'order-2026_11' };
        const first = await routed(path, named, method);
        expect(await asked(path, named, method)).toEqual(first);
        statuses.add(first.status);
      }),
      { numRuns: 300 },
    );
    expect([...statuses]).toEqual(expect.arrayContaining([200, 304, 402]));
  });

  it('are counted like all answers', async () => {
    const { registry } = service.services.metrics;
    const counts = async (route: string) => {
      const metrics = new Scrape(await registry.metrics());
      return ['hostprobe_http_requests_total', 'hostprobe_http_request_seconds_count'].map((name) =>
        metrics.sum(name, { route }),
      );
    };
    for (const [path, route] of [
      [HOST, '/api/v1/hosts/:domain'],
      [`${HOST}/refresh`, '/api/v1/hosts/:domain/refresh'],
    ] as const) {
      await routed(path, {}, 'GET');
      const [requests, durations] = await counts(route);
      await asked(path, {}, 'GET');
      expect(await counts(route)).toEqual([requests! + 1, durations! + 1]);
    }
  });
});
