import fc from 'fast-check';
import { Agent, request, type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';
import { startService, type Service } from '../../../test/support/service';

/** Requests of one run of the tests. */
const REQUESTS = 1_500;

/** Our own to admit: a part that is away, which these tests leave away. */
const ADMITTED: ReadonlySet<unknown> = new Set(['no_worker', 'busy', 'queue_away', 'payments_not_configured']);

const nested = (open: string, close: string, depth: number): string => open.repeat(depth) + close.repeat(depth);

/** Texts that readers of JSON, URLs, base64 and headers stumble over. */
const ODD: readonly string[] = [
  '',
  ' ',
  'null',
  '0',
  '-1',
  '1e999',
  '"',
  '{',
  '%',
  '%00',
  '%ff',
  '..',
  '%2e%2e%2f',
  '__proto__',
  'constructor',
  'toString',
  '\u0000',
  '\uD800',
  '\u202E',
  'ａ.example.com',
  'xn--a.example.com',
  `${'a.'.repeat(126)}com`,
  '9'.repeat(400),
  'a'.repeat(2_000),
  'shop.example.com',
  'https://shop.example.com/',
  `0x${'0'.repeat(64)}`,
  `0x${'f'.repeat(40)}`,
  nested('[', ']', 10_000),
  nested('{"a":', '}', 4_000).replace('}', '1}'),
];

const value = fc.oneof(
  fc.constantFrom(...ODD),
  fc.string({ maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
);

/** By the name of a parameter in a path: what is right, or wrong in a way that only its last reader sees. */
const NEAR: Readonly<Record<string, readonly string[]>> = {
  domain: ['shop.example.com', 'shop.example.com.'],
  protocol: ['ucp', 'constructor'],
  day: ['2026-11-21', '2026-02-29', '2026-04-31', '2026-13-01', '0000-01-01', '0001-01-01', '9999-12-31'],
  sha256: ['0'.repeat(64), 'F'.repeat(64), 'A'.repeat(43), '_'.repeat(43)],
  root: ['0'.repeat(64), 'F'.repeat(64), 'A'.repeat(43), '_'.repeat(43)],
  index: ['0', '9999', '10000', '-1', '1e3', '0x1'],
  tx: [`0x${'0'.repeat(64)}`, `0x${'F'.repeat(64)}`],
};
const near = fc.record(
  Object.fromEntries(Object.entries(NEAR).map(([name, texts]) => [name, fc.oneof(fc.constantFrom(...texts), value)])),
);
const asBase64 = value.map((json) => Buffer.from(json).toString('base64'));

/** Shapes that get past the first checks: a payment, a call of a tool, a batch. */
const shaped = fc.record(
  {
    x402Version: fc.constantFrom(1, 2, 3, '2'),
    scheme: fc.constantFrom('exact', 'upto'),
    network: fc.constantFrom('base', 'eip155:8453'),
    accepted: fc.object({ maxDepth: 2 }),
    payload: fc.record({
      signature: value,
      authorization: fc.dictionary(fc.constantFrom('from', 'to', 'value', 'validAfter', 'validBefore', 'nonce'), value),
    }),
    jsonrpc: fc.constantFrom('2.0', 2, null),
    id: fc.oneof(fc.integer(), value, fc.constant(null)),
    method: fc.constantFrom('tools/call', 'tools/list', 'initialize', 'ping', 'nothing'),
    params: fc.record(
      {
        name: fc.constantFrom('lookup_host', 'refresh_host', 'verify_receipt', 'x'),
        arguments: fc.object({ maxDepth: 2 }),
        _meta: fc.object({ maxDepth: 2 }),
      },
      { requiredKeys: [] },
    ),
    domains: fc.array(fc.oneof(value, fc.jsonValue()), { maxLength: 12 }),
    mode: fc.constantFrom('full', 'presence', 1),
  },
  { requiredKeys: [] },
);
const json = fc.oneof(
  shaped.map((shape) => JSON.stringify(shape)),
  fc.json({ maxDepth: 4 }),
  value,
);
const encoded = json.map((text) => Buffer.from(text).toString('base64'));

const HEADERS = {
  'payment-signature': fc.oneof(encoded, asBase64, value),
  'x-payment': fc.oneof(encoded, asBase64, value),
  'x-402-version': value,
  authorization: fc.oneof(
    value.map((key) => `Bearer ${key}`),
    value.map((key) => `Basic ${key}`),
    value,
  ),
  'sign-in-with-x': fc.oneof(encoded, asBase64),
  'idempotency-key': value,
  accept: fc.oneof(fc.constantFrom('text/html', 'text/markdown', 'application/json, text/event-stream'), value),
  'content-type': fc.oneof(
    fc.constantFrom('application/json', 'application/json; charset=utf-16', 'text/plain'),
    value,
  ),
  'content-encoding': fc.constantFrom('gzip', 'identity', 'x'),
  prefer: fc.oneof(fc.constantFrom('wait=0', 'respond-async'), value),
  'if-none-match': value,
  'x-forwarded-for': value,
  origin: value,
  host: value,
  'mcp-protocol-version': fc.oneof(fc.constantFrom('2025-11-25', '2026-07-28'), value),
  'mcp-method': value,
} as const;
const headers = fc.record(HEADERS, { requiredKeys: [] });

/** Header values as bytes that Node sends. */
const sendable = (text: string): string =>
  Buffer.from(text)
    .toString('latin1')
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, '')
    .slice(0, 14_000);

describe('any request', () => {
  let service: Service;
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  beforeAll(async () => {
    service = await startService({
      backend: 'postgres',
      worker: false,
      contract: false,
      env: { FREE_PRESENCE_PROBE: 'off' },
    });
  });
  afterAll(async () => {
    agent.destroy();
    await service.stop();
  });

  async function ask(method: string, path: string, sent: Readonly<Record<string, string>>, body?: string) {
    return new Promise<{ readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string }>(
      (resolve, reject) => {
        const { port } = new URL(service.baseUrl);
        const plain = Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, sendable(value)]));
        const out = request({ port, host: '127.0.0.1', method, path, headers: plain, agent }, (response) => {
          text(response).then((body) => {
            resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
          }, reject);
        });
        out.on('error', (error: NodeJS.ErrnoException) => {
          // What is no request is answered in full, although a HEAD expects no body.
          if (error.code?.startsWith('HPE_')) resolve({ status: 0, headers: {}, body: '' });
          else reject(error);
        });
        out.end(body);
      },
    );
  }

  async function paths(): Promise<readonly string[]> {
    const { body } = await ask('GET', '/openapi.json', {});
    return Object.keys((JSON.parse(body) as { readonly paths: object }).paths);
  }

  /** A fault that is not admitted, in the form a test shows; undefined when the answer is in order. */
  function fault({ status, body }: { readonly status: number; readonly body: string }): string | undefined {
    if (status < 500) return undefined;
    const code = /"code":"(\w+)"/.exec(body)?.[1] ?? body.slice(0, 200);
    return status === 503 && ADMITTED.has(code) ? undefined : `${status} ${code}`;
  }

  it('is never answered with a fault of the service', async () => {
    const routes = await paths();
    expect(routes.length).toBeGreaterThan(30);
    const target = fc
      .tuple(
        fc.constantFrom(...routes),
        near,
        value,
        fc.dictionary(
          fc.oneof(
            fc.constantFrom(
              'url',
              'method',
              'address',
              'network',
              'limit',
              'before',
              'cursor',
              'protocol',
              'payTo',
              'amount',
              'wait',
              'statement',
              'form',
              'format',
            ),
            value,
          ),
          value,
          { maxKeys: 4 },
        ),
      )
      .map(([route, named, other, query]) => {
        const path = route.replace(/\{(\w+)\}/g, (_, name: string) =>
          encodeURIComponent((named[name] ?? other).toWellFormed()).slice(0, 3_000),
        );
        const search = new URLSearchParams(query).toString().slice(0, 3_000);
        return search === '' ? path : `${path}?${search}`;
      });
    const method = fc.constantFrom('GET', 'POST', 'DELETE', 'HEAD', 'PUT', 'PATCH', 'OPTIONS');
    await fc.assert(
      fc.asyncProperty(method, target, headers, fc.option(json, { nil: undefined }), async (how, where, sent, body) => {
        const carries = body !== undefined && how !== 'GET' && how !== 'HEAD';
        const typed = carries
          ? { 'content-type': 'application/json', ...sent, 'content-length': String(Buffer.byteLength(body)) }
          : sent;
        expect(fault(await ask(how, where, typed, carries ? body : undefined))).toBeUndefined();
      }),
      { numRuns: REQUESTS, endOnFailure: true },
    );
  });

  it.each([
    ['lists', nested('[', ']', 10_000)],
    ['objects', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
    ['lists in an argument', `{"domains":${nested('[', ']', 10_000)},"mode":"full"}`],
    [
      'lists in a call of a tool',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"lookup_host","arguments":${nested('[', ']', 10_000)}}}`,
    ],
  ])('whose JSON has 10,000 %s in each other is 400, wherever it is sent', async (_what, body) => {
    for (const path of await paths()) {
      const answer = await ask(
        'POST',
        path.replace(/\{\w+\}/g, 'shop.example.com'),
        { 'content-type': 'application/json' },
        body,
      );
      expect([400, 404, 405]).toContain(answer.status);
    }
    const mcp = await ask(
      'POST',
      '/api/v1/mcp',
      { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body,
    );
    expect([
      mcp.status,
      (await ask('POST', '/api/v1/hosts/refresh', { 'content-type': 'application/json' }, body)).status,
    ]).toEqual([400, 400]);
  });

  it('may have JSON of any depth in its headers', async () => {
    const deep = [nested('[', ']', 5_000), `${'{"a":'.repeat(1_900)}1${'}'.repeat(1_900)}`];
    const payment = deep.map((json) => `{"x402Version":2,"payload":${json},"accepted":${json}}`.slice(0, 11_000));
    for (const json of [...deep, ...payment]) {
      for (const name of ['payment-signature', 'x-payment', 'sign-in-with-x', 'authorization']) {
        const sent = { [name]: Buffer.from(json).toString('base64') };
        for (const path of ['/api/v1/hosts/shop.example.com/refresh', '/api/v1/hosts/shop.example.com/changes']) {
          expect(fault(await ask('GET', path, sent))).toBeUndefined();
        }
        expect(fault(await ask('POST', '/api/v1/hosts/shop.example.com/subscription', sent))).toBeUndefined();
      }
    }
  });
});
